/** Requests for proofs and exports that a thread answers at once, and those of one account. */
export const proofRequestsMax = 16;
export const accountProofRequestsMax = 4;
/** The maps of all accounts that a thread keeps: one of 10,000 accounts takes about 8 MB. With more accounts there are no proofs. */
export const mapsMax = 2;
export const mapAccountsMax = 100_000;
/** The events of a page of an export, and the characters after which a page ends: an event has half a million of them, or rarely some more. */
export const pageEventsMax = 256;
export const pageCharactersMax = 4_000_000;
/** The checkpoints that a request for an export may name. */
export const checkpointsMax = 20;
/** The final checkpoints of former origins that an export has. */
export const formerOriginsMax = 100;
/** How long a client waits for the next checkpoint before it asks again. The notary signs one a minute by default. */
export const nextCheckpointSeconds = 60;
