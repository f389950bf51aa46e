import { type ResourceKind, resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';

/** The set of an account's objects of one kind. */
export const accountSet = (account: string, kind: ResourceKind): string => `${account}/${kind}`;

/** The set of a list's members. */
export const membersOf = (list: number): string => resourceStream('list', list);

/** The set of the happenings at a pinpoint. */
export const happeningsAt = (pinpoint: number): string => resourceStream('pinpoint', pinpoint);

/** Returns the id of the list or pinpoint that a set of members or happenings belongs to. */
export const ownerOf = (set: string): number => resourceOfStream(set)?.id ?? 0;
