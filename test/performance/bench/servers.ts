import { join } from 'node:path';
import { ask } from './client.ts';
import { fill } from './fill.ts';
import type { Scale } from './limits.ts';
import type { Generator } from './load.ts';
import { gets } from './loads.ts';
import { type Server, startServer } from './server.ts';
import { bare, crud, type PreparedAnswer, type Subject, waymark } from './subjects.ts';

export type Full = Server & { readonly ids: readonly number[] };

/** The servers under test, each started at its first use and kept until `stop`. */
export type BenchServers = {
  readonly scale: Scale;
  readonly generator: Generator;
  readonly subjects: readonly Tested[];
  /** A server with 10,000 pinpoints, for reads and updates. */
  readonly existing: (subject: Tested) => Promise<Full>;
  /** A server that is empty at first, for creates. */
  readonly growing: (subject: Tested) => Promise<Server>;
  readonly bare: () => Promise<Server>;
  /** Stops all servers. Their directories and tokens stay valid. */
  readonly stop: () => Promise<void>;
};

export type Tested = 'crud' | 'waymark';
const programs: Readonly<Record<Tested, Subject>> = { crud, waymark };

export const programOf = (subject: Tested): Subject => programs[subject];

export const openBenchServers = (directory: string, scale: Scale, generator: Generator, subjects: readonly Tested[]): BenchServers => {
  const started = new Map<string, Promise<Server>>();
  const server = (name: string, program: Subject): Promise<Server> => {
    const found = started.get(name) ?? startServer(program, join(directory, name));
    started.set(name, found);
    return found;
  };
  const filled = new Map<Tested, Promise<Full>>();
  const existing = (subject: Tested): Promise<Full> => {
    const found = filled.get(subject) ?? server(`existing-${subject}`, programs[subject]).then(withPinpoints);
    filled.set(subject, found);
    return found;
  };
  return {
    scale,
    generator,
    subjects,
    existing,
    growing: (subject) => server(`growing-${subject}`, programs[subject]),
    bare: async () => {
      const sample = subjects.includes('waymark') ? 'waymark' : 'crud';
      return server('bare', bare(await answerOf(await existing(sample))));
    },
    stop: async () => {
      for (const { stop } of await Promise.all(started.values())) await stop();
      started.clear();
    },
  };
};

const withPinpoints = async (server: Server): Promise<Full> => ({ ...server, ids: await fill(server) });

/** Headers that Node adds itself. */
const ownHeaders = ['date', 'connection', 'keep-alive'];

const answerOf = async (server: Full): Promise<PreparedAnswer> => {
  const { base, targets } = gets(server, server.ids);
  const { path, token } = targets[0] ?? { path: '/', token: '' };
  const { headers, body } = await ask(base + path, { token });
  return { headers: Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)), body };
};
