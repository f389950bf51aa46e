import { ForeignReadModels } from '../../read-models.ts';
import type { Namespace } from '../namespace.ts';
import type { InTransaction } from '../transactions.ts';
import type { Control } from './control.ts';
import type { Lease } from './lease.ts';
import type { Pointer } from './pointer.ts';
import { createTakeover, type Takeover } from './takeover.ts';

/** The installation of the process, and the installation of the database. */
export type OwnInstallation = {
  /** Sets the installation of the process. From then on the process neither reads nor changes another installation's data in the database. */
  readonly setInstallation: (installation: string) => void;
  /** Sets the installation of the process, and names it in the database unless that names one. Call it before the first write, and
   * repeatedly while the process writes.
   * @throws ForeignReadModels where the database is another installation's, ReadModelsUnavailable */
  readonly claim: (installation: string) => Promise<void>;
  /** Returns the installation that the database names.
   * @throws ReadModelsUnavailable */
  readonly installation: () => Promise<string | undefined>;
  /** Returns the installation that is being removed from the database.
   * @throws ReadModelsUnavailable */
  readonly emptying: () => Promise<string | undefined>;
  /** Shows that the process is alive, if the database is its installation's. Call it every `beatMs`.
   * @throws ReadModelsUnavailable */
  readonly beat: () => Promise<void>;
  /** Returns a number that rises while processes of an installation use the database.
   * @throws ReadModelsUnavailable */
  readonly beatsOf: (installation: string) => Promise<number>;
  /** Replaces another installation with the process's own.
   * @throws Error where the process does not know its own */
  readonly takeover: (insteadOf: string) => Takeover;
};

/** The installation of the process, as far as it is known. */
export type ProcessInstallation = {
  /** Undefined until the log has named it. Until then the process uses the installation that the database names. */
  readonly ours: () => string | undefined;
  readonly set: (installation: string) => void;
  /** @throws ForeignReadModels where the database is another installation's, or still contains data of one that is being removed */
  readonly assertOwn: (pointer: Pointer | undefined) => void;
};

export const createBelonging = (database: string): ProcessInstallation => {
  let ours: string | undefined;
  return {
    ours: () => ours,
    set: (installation) => {
      ours = installation;
    },
    assertOwn: (pointer) => {
      const { installation, emptying } = pointer ?? {};
      if (ours !== undefined && installation !== undefined && installation !== ours) {
        throw new ForeignReadModels(foreign(database, installation, ours));
      }
      if (emptying !== undefined) throw new ForeignReadModels(halfEmptied(database, emptying));
    },
  };
};

const foreign = (database: string, other: string, ours: string): string =>
  `The MongoDB database ${database} belongs to installation ${other}, not to this one, ${ours}: set WAYMARK_MONGODB_DATABASE to another database, or take it over (waymark adopt --instead-of ${other}).`;

const halfEmptied = (database: string, other: string): string =>
  `The MongoDB database ${database} is being taken over from installation ${other}. If the takeover was interrupted, run waymark adopt --instead-of ${other} again.`;

type Parts = {
  readonly control: Control;
  readonly lease: Lease;
  readonly belonging: ProcessInstallation;
  readonly namespace: Namespace;
  /** The names of the collections of a generation. */
  readonly kinds: readonly string[];
  /** Drops a generation. */
  readonly drop: (name: string) => Promise<void>;
  readonly inTransaction: InTransaction;
};

export const ownInstallation = ({ control, lease, belonging, namespace, kinds, drop, inTransaction }: Parts): OwnInstallation => {
  const setInstallation = (installation: string): void => {
    if (belonging.ours() === installation) return;
    belonging.set(installation);
    lease.discard();
  };
  return {
    setInstallation,
    claim: async (installation) => {
      setInstallation(installation);
      belonging.assertOwn(await control.claim(installation));
    },
    installation: async () => (await control.pointer())?.installation,
    emptying: async () => (await control.pointer())?.emptying,
    beatsOf: control.beats.of,
    takeover: (insteadOf) => {
      const ours = belonging.ours();
      if (ours === undefined) throw new Error('The installation of the process is not known.');
      return createTakeover({ control, namespace, kinds, drop, inTransaction, ours, insteadOf });
    },
    beat: async () => {
      const { pointer } = await lease.known();
      const ours = belonging.ours();
      if (ours !== undefined && pointer.installation === ours) await control.beats.beat(ours);
    },
  };
};
