import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { release } from '@waymark/domain/release.ts';
import { WrongSettings } from '@waymark/runtime/settings.ts';
import { secretSettings, settingsFrom, settingsSchema } from './settings.ts';

const document = join(import.meta.dirname, '../../docs/configuration.md');

/** Returns the table of docs/configuration.md, generated from the schema. */
const table = (): string => {
  const rows = Object.entries(settingsSchema.properties).map(([name, { default: standard, description }]) => {
    const shown = standard === '' ? '' : `\`${standard}\``;
    return `| \`${name}\` | ${shown} | ${description} |`;
  });
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
};

const between = (text: string, name: string): string => {
  const [, found = ''] = new RegExp(`<!-- ${name}: begin -->\n([\\s\\S]*?)\n?<!-- ${name}: end -->`).exec(text) ?? [];
  return found;
};

describe('The settings', () => {
  it('have defaults that bind to loopback', () => {
    const settings = settingsFrom({});
    expect(settings).toMatchObject({
      WAYMARK_HOST: '127.0.0.1',
      WAYMARK_PORT: 8080,
      WAYMARK_OPS_HOST: '127.0.0.1',
      WAYMARK_OPS_PORT: 8081,
    });
  });

  it('report every fault in one message', () => {
    const wrong = { WAYMARK_PORT: 'eighty', WAYMARK_RATE_LIMITS: 'perhaps', WAYMARK_PUBLIC_URL: 'ftp://x', WAYMARK_OPS_TOKEN: 'short' };
    const attempt = () => settingsFrom(wrong);
    expect(attempt).toThrow(WrongSettings);
    for (const name of Object.keys(wrong)) expect(attempt).toThrow(name);
  });

  it.each([
    ['WAYMARK_TRUSTED_PROXIES', '10.0.0.0/99'],
    ['WAYMARK_CORS_ORIGINS', 'example.org'],
    ['WAYMARK_CORS_ORIGINS', 'https://example.org/path'],
  ])('are checked in each element of a list: %s=%s', (name, value) => {
    expect(() => settingsFrom({ [name]: value })).toThrow(name);
  });

  it('never show a secret in that message', () => {
    expect(() => settingsFrom({ WAYMARK_OPS_TOKEN: 'hush hush' })).not.toThrow('hush hush');
    expect(() => settingsFrom({ WAYMARK_OPS_TOKEN: 'hush hush' })).toThrow('WAYMARK_OPS_TOKEN');
  });

  describe('that are secrets', () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-settings-'));
    const file = join(directory, 'token');
    afterAll(() => rmSync(directory, { recursive: true }));

    const samples: Readonly<Record<string, string>> = { WAYMARK_NOTARY_KEY: `${'t'.repeat(43)}=`, WAYMARK_CHECKPOINTS_TO: '/checkpoints' };

    it.each(secretSettings)('may come from a file: %s', (name) => {
      const sample = samples[name] ?? 't'.repeat(40);
      writeFileSync(file, `${sample}\n`);
      expect(settingsFrom({ [`${name}_FILE`]: file })[name]).toBe(sample);
    });

    it.each(secretSettings)('must not be given both as a value and as a file: %s', (name) => {
      writeFileSync(file, 't'.repeat(40));
      expect(() => settingsFrom({ [name]: 'u'.repeat(40), [`${name}_FILE`]: file })).toThrow(`${name}_FILE`);
    });

    it.each(secretSettings)('are reported as missing if their file is missing: %s', (name) => {
      expect(() => settingsFrom({ [`${name}_FILE`]: join(directory, 'nothing') })).toThrow(`${name}_FILE`);
    });
  });

  it('are in docs/configuration.md as the schema defines them (WAYMARK_WRITE=1 writes them there)', () => {
    const text = readFileSync(document, 'utf8');
    if (process.env['WAYMARK_WRITE'] === '1') {
      const written = text.replace(
        /(<!-- settings: begin -->\n)[\s\S]*?(<!-- settings: end -->)/,
        (_, begin, end) => `${begin}${table()}\n${end}`,
      );
      writeFileSync(document, written);
    }
    expect(between(readFileSync(document, 'utf8'), 'settings')).toBe(table());
  });
});

it('The release is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(release).toBe(version);
});
