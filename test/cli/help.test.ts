import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { allCommands } from '@waymark/cli/commands/all.ts';
import { programWith } from '@waymark/cli/program.ts';
import type { Command } from 'commander';
import { patienceMs, useDesk } from './waymark.ts';

const commands = [
  ['start'],
  ['status'],
  ['app', 'create'],
  ['app', 'list'],
  ['app', 'rotate'],
  ['app', 'drop-secret'],
  ['app', 'suspend'],
  ['app', 'resume'],
  ['app', 'scopes'],
  ['app', 'delete'],
  ['seed'],
  ['media', 'prune'],
  ['forget'],
  ['hold'],
  ['release'],
  ['history'],
  ['diff'],
  ['blame'],
  ['activity'],
  ['audit', 'verify'],
  ['audit', 'export'],
  ['load'],
  ['rebuild'],
  ['verify'],
  ['backup'],
  ['restore'],
  ['renew'],
  ['adopt'],
  ['export'],
  ['import'],
  ['writes', 'close'],
  ['writes', 'open'],
  ['keys', 'new'],
  ['keys', 'export'],
];

const commandOf = (words: readonly string[]): Command =>
  words.reduce<Command>((parent, name) => parent.commands.find((one) => one.name() === name) ?? parent, programWith(allCommands));

describe('waymark --help', () => {
  const desk = useDesk();

  it(
    'names every command and every exit code',
    async () => {
      const { code, stdout } = await desk.run('--help');
      expect(code).toBe(0);
      for (const [command] of commands) expect(stdout).toContain(`\n  ${command} `);
      expect([...stdout.matchAll(/^ {2}(\d+) {2,}\S/gm)].map(([, number]) => Number(number))).toEqual([0, 1, 2, 3, 4, 5, 130]);
    },
    patienceMs,
  );

  it.each(commands.map((words) => words.join(' ')))('is available for %s', (words) => {
    const help = commandOf(words.split(' ')).helpInformation();
    expect(help.split('\n')[0]).toContain(`Usage: waymark ${words}`);
    if (words !== 'start') expect(help).toContain('--json');
  });

  it(
    'starts nothing',
    async () => {
      for (const words of [['start'], ['app', 'create']]) {
        const { code, stdout } = await desk.run(...words, '--help');
        expect(code).toBe(0);
        expect(stdout).toContain(commandOf(words).helpInformation());
      }
      expect(readdirSync(desk.directory)).toEqual([]);
    },
    patienceMs,
  );

  it(
    'is shown as an error if no command is named',
    async () => {
      expect(await desk.run()).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: waymark') });
      expect(await desk.run('stat')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("unknown command 'stat'") });
    },
    patienceMs,
  );
});

/** Longer than a command waits for the first answer. */
const answersLateMs = 4_000;

describe('waymark, if the installation cannot be reached', () => {
  const remote = useDesk({ WAYMARK_OPS_URL: 'http://127.0.0.1:9', WAYMARK_OPS_TOKEN: 'x'.repeat(32) });
  const nameless = useDesk({ WAYMARK_OPS_URL: 'http://127.0.0.1:9' });
  const misplaced = useDesk({ WAYMARK_DATA_DIR: '/dev/null/waymark' });
  const empty = useDesk();
  const hung = useDesk();
  const misconfigured = useDesk({ WAYMARK_READ_WAIT_MS: 'soon' });

  it(
    'reports it with a separate exit code',
    async () => {
      expect(await remote.run('status')).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('does not answer') });
      expect(await misplaced.run('seed', '--demo')).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('cannot be started'),
      });
      for (const words of [['seed', '--demo'], ['start']]) {
        expect(await misconfigured.run(...words)).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining('WAYMARK_READ_WAIT_MS'),
        });
      }
      expect(await nameless.run('status')).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('WAYMARK_OPS_TOKEN') });
    },
    patienceMs,
  );

  it(
    'says that there is no installation, and begins none',
    async () => {
      // The keys of a cluster, or of an installation whose log was removed.
      writeFileSync(join(empty.directory, 'keys.json'), '{}');
      for (const words of [['status'], ['verify'], ['app', 'list'], ['backup', join(empty.directory, 'backup')]]) {
        const ran = await empty.run(...words);
        expect(ran).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('There is no installation in') });
      }
      expect(readdirSync(empty.directory)).toEqual(['keys.json']);
    },
    patienceMs,
  );

  it(
    'gives up in time on a server that hangs',
    async () => {
      const server = await hung.serve();
      process.kill(server.pid, 'SIGSTOP');
      expect(await hung.run('status')).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('does not answer') });
      // One that answers late is found.
      const late = hung.run('adopt', '--signing-key');
      await pause(answersLateMs);
      process.kill(server.pid, 'SIGCONT');
      expect(await late).toMatchObject({ stderr: expect.not.stringContaining('Nothing runs on') });
      expect(await hung.run('status')).toMatchObject({ code: 0, stderr: '' });
      await server.stop();
    },
    patienceMs,
  );
});

describe('several commands at once, while no server runs', () => {
  const desk = useDesk();

  it(
    'run one after the other',
    async () => {
      const create = (name: string) => desk.json(['app', 'create', '--account', 'acme', '--name', name]);
      await Promise.all(['a', 'b', 'c', 'd'].map(create));
      expect(await desk.json<unknown[]>(['app', 'list'])).toHaveLength(4);
    },
    patienceMs,
  );
});
