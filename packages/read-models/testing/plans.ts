import type { Document as BsonDocument, CommandStartedEvent, MongoClient } from 'mongodb';

export type Plan = {
  readonly stage: string;
  readonly indexBounds?: Readonly<Record<string, readonly string[]>>;
  readonly inputStage?: Plan;
  readonly filter?: unknown;
};

export const stagesOf = (plan: Plan): Plan[] => [plan, ...(plan.inputStage ? stagesOf(plan.inputStage) : [])];

/** Returns the stages that read more than necessary: anything but ranges of an index, each limited by a value of the query. */
export const slowStages = (plan: Plan): string[] =>
  stagesOf(plan).flatMap((stage) => {
    const { stage: name, filter, indexBounds } = stage;
    if (!/^(LIMIT|FETCH|IXSCAN|IDHACK|EXPRESS_IXSCAN|PROJECTION_\w+)$/.test(name)) return [name];
    if (filter !== undefined) return [`${name} filters ${JSON.stringify(filter)}`];
    const bounds = Object.entries(indexBounds ?? {});
    return bounds.filter(([, [bound = '']]) => !isTight(bound)).map(([field, bound]) => `${name} walks ${field} ${bound.join()}`);
  });

/** Whether a bound is one value, or everything on one side of a value. */
const isTight = (bound: string): boolean => {
  const [from, to] = bound.slice(1, -1).split(', ');
  return from === to || (/^-?\d/.test(from ?? '') && /^-?inf/.test(to ?? '')) || (/^-?inf/.test(from ?? '') && /^-?\d/.test(to ?? ''));
};

/** A query and its plan. */
type Explained = { readonly question: string; readonly plan: Plan };

/** Returns the queries that `asking` makes, and their plans. */
export const explained = async (client: MongoClient, database: string, asking: () => Promise<unknown>): Promise<readonly Explained[]> =>
  Promise.all(
    (await queriesOf(client, asking)).map(async (question) => {
      const { queryPlanner } = await client
        .db(database)
        .command({ explain: question, verbosity: 'queryPlanner' }, { ignoreUndefined: true });
      return { question: JSON.stringify(question), plan: queryPlanner.winningPlan };
    }),
  );

/** Returns the number of index keys that the queries examine which `asking` makes. */
export const examinedKeys = async (client: MongoClient, database: string, asking: () => Promise<unknown>): Promise<number> => {
  let keys = 0;
  for (const question of await queriesOf(client, asking)) {
    const { executionStats } = await client
      .db(database)
      .command({ explain: question, verbosity: 'executionStats' }, { ignoreUndefined: true });
    keys += executionStats.totalKeysExamined;
  }
  return keys;
};

/** Returns the queries that `asking` makes. */
const queriesOf = async (client: MongoClient, asking: () => Promise<unknown>): Promise<readonly BsonDocument[]> => {
  const commands: BsonDocument[] = [];
  const listen = ({ commandName, command }: CommandStartedEvent) => void (commandName === 'find' && commands.push(command));
  client.on('commandStarted', listen);
  try {
    await asking();
  } finally {
    client.off('commandStarted', listen);
  }
  return commands.map(({ find, filter, sort, skip, limit, hint, projection }) => {
    // Some servers read all of an index that a hint names.
    expect(hint).toBeUndefined();
    return { find, filter, sort, skip, limit, projection };
  });
};
