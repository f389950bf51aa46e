import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { headerLine } from './export/format.ts';
import { createNoteSigner } from './signed-note.ts';
import { publishedExports, publishedFolder } from './testing/published-exports.ts';
import { withReplacedValue } from './testing/replaced-value.ts';
import { exportOf, laterSigner, otherSigner, provenRoot, signer, signerOf, verified } from './testing/some-export.ts';
import { history, tamperings } from './testing/tamperings.ts';

const program = join(publishedFolder, 'verify_export.py');
const linesMax = 252;
const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.version_info >= (3, 9))'], { encoding: 'utf8' });
const hasPython = status === 0 && stdout.trim() === 'True';
const describeWithPython = hasPython ? describe : describe.skip;

const head = provenRoot(history, history.length);

type Found = { readonly sound: boolean; readonly findings: readonly string[] };

describeWithPython(`The verifier in Python${hasPython ? '' : ' (left out: needs python3, version 3.9 or later)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-verifier-'));
  const keys = join(folder, 'keys');
  beforeAll(() => writeFileSync(keys, `${signer.verifierKey}\n${otherSigner.verifierKey}\n`));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Verifies several exports with one run. */
  const verifyAll = async (exports: readonly (readonly (string | Buffer)[])[]): Promise<readonly Found[]> => {
    const files = exports.map((lines, nth) => {
      const file = join(folder, `${nth}.ndjson`);
      writeFileSync(file, Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\n')]))));
      return file;
    });
    const text = await new Promise<string>((resolve, reject) =>
      execFile('python3', [program, keys, ...files], (error, out, err) => (err === '' ? resolve(out) : reject(error ?? new Error(err)))),
    );
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  /** Compares the results of both verifiers. Returns whether the exports are sound. */
  const expectAgreement = async (exports: readonly (readonly (string | Buffer)[])[]): Promise<readonly boolean[]> => {
    const theirs = await verifyAll(exports);
    const ours = await Promise.all(exports.map((lines) => verified(lines)));
    const differing = ours.flatMap((our, nth) => (our.sound === theirs[nth]?.sound ? [] : [{ lines: exports[nth]?.map(String), our }]));
    expect(differing).toEqual([]);
    return ours.map(({ sound }) => sound);
  };

  it('needs nothing but the standard library, and is short', () => {
    const text = readFileSync(program, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(linesMax);
    expect(text.match(/^(import|from) .*$/gm)).toEqual(['import base64, hashlib, json, re, sys']);
  });

  it('finds the published exports sound', async () => {
    const exports = Object.entries(publishedExports).filter(([name]) => name.endsWith('.ndjson'));
    expect(await verifyAll(exports.map(([, text]) => text.trimEnd().split('\n')))).toEqual(
      exports.map(() => expect.objectContaining({ sound: true, findings: [] })),
    );
  });

  it('finds every tampering that this verifier finds', async () => {
    const exports = tamperings.flatMap(([, events, , finding]) => [
      exportOf({ events, head }),
      ...(finding === undefined ? [] : [exportOf({ events, head, object: 'pinpoint-1' })]),
    ]);
    expect((await verifyAll(exports)).filter(({ sound }) => sound)).toEqual([]);
  });

  it('finds checkpoints that no trusted key has signed, and earlier histories that the export does not continue', async () => {
    const rewritten = tamperings[0]?.[1] ?? [];
    const untrusted = provenRoot(history, history.length, { by: laterSigner });
    const announcement = provenRoot(history, 5, { key: laterSigner.verifierKey, by: signerOf(3) }).checkpoint;
    const foreign = provenRoot(history, history.length, { by: otherSigner });
    const renamed = provenRoot(history, 5, { key: otherSigner.verifierKey }).checkpoint;
    const exports = [
      exportOf({ events: history, head: untrusted }),
      exportOf({ events: history, head: untrusted, announcements: [announcement] }),
      exportOf({ events: history, head: foreign }),
      exportOf({ events: history, head, announcements: [renamed] }),
      exportOf({ events: rewritten, head: provenRoot(rewritten, 14), earlier: [provenRoot(history, 9)] }),
      [
        headerLine({ account: 'other', object: null, announcements: [], head, earlier: [] }),
        ...exportOf({ events: history, head }).slice(1),
      ],
    ];
    expect((await verifyAll(exports)).map(({ findings: [first] }) => first)).toEqual([
      'The header: Checkpoint 1 is signed by no trusted key.',
      'The header: Announcement 1 is signed by no trusted key.',
      'The header: Checkpoint 1 is signed by the key of another installation.',
      'The header: Announcement 1 is signed by the key of another installation.',
      'The header: Checkpoint 1 covers a history that is not the beginning of the exported one.',
      'The header: Checkpoint 1 does not cover the account with this size and root.',
    ]);
  });

  it('verifies signatures as RFC 8032 defines them', () => {
    const signatures = [...publishedSignatures, ...Array.from({ length: 20 }, (_, nth) => someSignature(nth))];
    const cases = signatures.flatMap(({ key, text, signature }, nth) => [
      { key, text, signature, valid: true },
      { key, text: flippedHex(`${text}00`, nth), signature, valid: false },
      { key, text, signature: flippedHex(signature, nth * 23), valid: false },
      { key, text, signature: withGreaterScalar(signature), valid: false },
    ]);
    const call =
      'import json, sys, verify_export as v; h = bytes.fromhex; print(json.dumps([v.is_signature(*map(h, one)) for one in json.load(sys.stdin)]))';
    const input = JSON.stringify(cases.map(({ key, text, signature }) => [key, text, signature]));
    const ran = spawnSync('python3', ['-B', '-c', call], { cwd: publishedFolder, input, encoding: 'utf8' });
    expect(ran.stderr).toBe('');
    expect(JSON.parse(ran.stdout)).toEqual(cases.map(({ valid }) => valid));
  });

  it('agrees with this verifier about exports of which a value is replaced by another one', async () => {
    const samples = fc.sample(
      withReplacedValue([exportOf({ events: history, head }), exportOf({ events: history, head, object: 'list-1' })]),
      150,
    );
    await expectAgreement(samples);
  });

  it('agrees with this verifier about exports with any byte changed, removed or added, and any line removed or repeated', async () => {
    const originals = Object.entries(publishedExports).flatMap(([name, text]) =>
      name.endsWith('.ndjson') ? [text.trimEnd().split('\n')] : [],
    );
    const changed = fc
      .tuple(fc.constantFrom(...originals), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 127 }), fc.nat(4))
      .map(([lines, nth, place, difference, kind]) => {
        const line = nth % lines.length;
        const before = Buffer.from(lines[line] ?? '');
        const at = place % before.length;
        const flipped = Buffer.from(before);
        flipped[at] = (flipped[at] ?? 0) ^ difference;
        const added = Buffer.concat([before.subarray(0, at), Buffer.from([difference]), before.subarray(at)]);
        const removed = Buffer.concat([before.subarray(0, at), before.subarray(at + 1)]);
        const kinds = [
          lines.with(line, flipped.toString('latin1')).map((one, other) => (other === line ? flipped : Buffer.from(one))),
          lines.map((one, other) => (other === line ? added : Buffer.from(one))),
          lines.map((one, other) => (other === line ? removed : Buffer.from(one))),
          lines.toSpliced(line, 1).map((one) => Buffer.from(one)),
          lines.toSpliced(line, 0, lines[line] ?? '').map((one) => Buffer.from(one)),
        ];
        // A changed byte may have become the end of a line.
        return Buffer.concat((kinds[kind] ?? []).flatMap((one) => [one, Buffer.from('\n')]));
      });
    const samples = fc.sample(changed, 150).map((bytes) => splitLines(bytes));
    const ours = await expectAgreement(samples);
    expect(ours.filter((sound) => !sound).length).toBeGreaterThan(120);
  });
});

/** The first two test vectors of RFC 8032, 7.1. */
const publishedSignatures = [
  {
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    text: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    text: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
];

const someSignature = (nth: number) => {
  const note = createNoteSigner('a', Buffer.alloc(32, nth));
  const text = `text ${nth}\n`;
  const bytes = (encoded = ''): Buffer => Buffer.from(encoded, 'base64');
  const key = bytes(note.verifierKey.split('+').slice(2).join('+')).subarray(1);
  const signature = bytes(note.sign(text).trimEnd().split(' ').at(-1)).subarray(4);
  return { key: key.toString('hex'), text: Buffer.from(text).toString('hex'), signature: signature.toString('hex') };
};

const flippedHex = (hex: string, nth: number): string => {
  const bytes = Buffer.from(hex, 'hex');
  const at = nth % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  return bytes.toString('hex');
};

/** Adds the order of the curve to the scalar: the same equation holds, but RFC 8032 refuses such a signature. */
const withGreaterScalar = (signature: string): string => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const scalar = BigInt(`0x${Buffer.from(signature.slice(64), 'hex').reverse().toString('hex')}`) + order;
  const greater = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
  return signature.slice(0, 64) + greater.toString('hex');
};

const splitLines = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf('\n'); end >= 0; start = end + 1, end = bytes.indexOf('\n', start)) {
    lines.push(bytes.subarray(start, end));
  }
  return lines;
};
