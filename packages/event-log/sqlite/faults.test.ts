import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { AppendUndecided, LogUnavailable } from '../event-log.ts';
import { foundInLog } from '../testing/found-in-log.ts';
import { programs } from '../testing/programs.ts';
import { dying } from '../testing/recorder-follower.ts';
import { recorder } from '../testing/recorders.ts';
import { newStream, someEvent } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';

const { file, open } = temporaryLogs();
const { run } = programs();
/** The program that limits the size of a file. The test that needs it is skipped where it is missing. */
const prlimit = '/usr/bin/prlimit';
const filled = existsSync(prlimit) ? it : it.skip;

describe('a process that is killed', () => {
  it('has kept every append that it acknowledged, completely', async () => {
    const acknowledged: string[] = [];
    for (let kill = 1; kill <= 4; kill += 1) {
      const program = run(new URL('../testing/append-for-ever.ts', import.meta.url), file());
      await program.wrote(500 * kill);
      program.child.kill('SIGKILL');
      await program.ended;
      acknowledged.push(...program.lines);
      expect(await foundInLog(file())).toEqual([]);
    }
    const log = await open();
    const last = await log.lastRevisions(acknowledged);
    expect(last.filter((revision) => revision !== 1)).toEqual([]);
  });
});

describe('a full disk', () => {
  filled(`refuses appends while reads continue, and recovers when there is room (needs ${prlimit})`, async () => {
    const program = run(new URL('../testing/fill-the-disk.ts', import.meta.url), file(), [prlimit, '--fsize=2000000:unlimited']);
    const line = (start: string) => program.lines.find((found) => found.startsWith(start));
    for (let lines = 1; line('full') === undefined; lines += 1) await program.wrote(lines);
    execFileSync(prlimit, ['--pid', String(program.child.pid), '--fsize=unlimited:unlimited']);
    await program.ended;
    expect(line('closed')).toBeDefined();
    expect(line('undecided')).toBeUndefined();
    const log = await open();
    const kept = await Promise.all(
      program.lines
        .map((each) => each.split(' '))
        .filter(([outcome]) => outcome === 'appended' || outcome === 'refused')
        .map(async ([outcome, stream = '']) => [outcome, (await log.lastRevisions([stream]))[0]]),
    );
    expect(kept.filter(([outcome]) => outcome === 'refused').length).toBeGreaterThan(0);
    for (const [outcome, last] of kept) expect(last).toBe(outcome === 'appended' ? 1 : 'none');
    expect(line('full')).toBe(`full ${kept.findIndex(([outcome]) => outcome === 'refused') * 2}`);
    expect(await foundInLog(file())).toEqual([]);
  });
});

describe("a writer's thread that dies", () => {
  it('is reported as a fatal error; the append in progress is undecided; reads continue', async () => {
    const fatal: Error[] = [];
    const log = await open({ ...recorder(), onFatal: (error) => fatal.push(error) });
    const [before, stream] = [newStream(), newStream()];
    await log.append(before, [someEvent()], 'none');
    const append = log.append(stream, [someEvent(dying)], 'none');
    await expect(append).rejects.toThrow(AppendUndecided);
    await expect(log.append(newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    await expect(log.askFollower('anything')).rejects.toThrow('died');
    expect(fatal.map(({ message }) => message)).toEqual(['The recorder died.']);
    expect(await log.lastRevisions([before, stream])).toEqual([0, 0]);
  });

  it('ends the process where no handler is set', async () => {
    const program = run(new URL('../testing/die.ts', import.meta.url), file());
    await program.ended;
    expect(program.child.exitCode).toBe(1);
    expect(program.lines).toEqual(['undecided']);
  });

  it('fails the start where it dies before the log is open', async () => {
    const fatal: Error[] = [];
    const onFatal = (error: Error) => void fatal.push(error);
    await expect(open({ file: '/nowhere/log.db', onFatal })).rejects.toThrow();
    await expect(open({ follower: { module: 'file:///nowhere.ts', options: {} }, onFatal })).rejects.toThrow('nowhere');
    expect(fatal).toEqual([]);
  });
});
