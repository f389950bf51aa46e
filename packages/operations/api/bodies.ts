import { type TObject, Type } from '@sinclair/typebox';
import { scopes } from '@waymark/domain/application/events.ts';
import { opaqueIdPattern } from '@waymark/domain/opaque-id.ts';
import { orderReasons } from '@waymark/domain/orders/commands.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import { filterCharactersMax } from '@waymark/history/reading/activity-filters.ts';
import { pageItemsMax } from '@waymark/http/limits.ts';
import { exportFormat } from '@waymark/transfer/format.ts';
import { batchEventsMax, filesAskedMax, importedIdMax } from '../import/limits.ts';

const text = (maxLength: number) =>
  Type.String({ text: 'trimmed', minLength: 1, maxLength, description: `a text of 1 to ${maxLength} characters is required` });
const Name = text(255);
const Path = text(4_096);
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** 0 means that no id was given out. */
const HighestId = Type.Integer({ minimum: 0, maximum: importedIdMax });
/** Matches a text that may become part of a stream's name. */
const identifier = { pattern: '^[\\w-]{1,100}$' };
const Identifier = Type.String(identifier);
/** The keys that one call may name, and the characters of each. */
const keysMax = 100;
const keyCharactersMax = 1_000;
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Scopes = Type.Array(Type.Union(scopes.map((scope) => Type.Literal(scope))), {
  minItems: 1,
});

const Application = Type.Object({
  account: Name,
  name: Name,
  scopes: Type.Optional(Type.Union([Scopes, Type.Null()], { description: `a list of ${scopes.join(', ')}` })),
});

const NewScopes = Type.Object({ scopes: { ...Scopes, description: `a list of ${scopes.join(', ')} is required` } });

const Writes = Type.Object({ open: Type.Boolean({ description: 'true or false is required' }) });

const Backup = Type.Object({ directory: Path });

/** `final`: whether no event may follow the exported ones. Any other value than true means false. */
const Export = Type.Object({ directory: Path, final: Type.Optional(Type.Unknown()) });

/** The public keys of the notary to trust. */
const TrustedKeys = Type.Object({
  keys: Type.Optional(
    Type.Array(Type.String({ maxLength: keyCharactersMax }), {
      maxItems: keysMax,
      description: `at most ${keysMax} public keys of a notary`,
    }),
  ),
});

/** An operator's order about an object. What the API calls an event is a happening in the code. Both words are accepted. */
const Order = Type.Object({
  account: Name,
  kind: Type.Union(
    [...resourceKinds, ...(['event', 'application', 'changeset'] as const)].map((kind) => Type.Literal(kind)),
    { description: 'pinpoint, list, category, event, application or changeset is required' },
  ),
  id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ pattern: '^[\\w-]{1,64}$' })], {
    description: 'a positive whole number is required; a text for an application or a changeset',
  }),
  reason: Type.Optional(
    Type.Union([...orderReasons.map((reason) => Type.Literal(reason)), Type.Null()], { description: `one of ${orderReasons.join(', ')}` }),
  ),
  case: Type.Optional(
    Type.Union([Type.String({ pattern: opaqueIdPattern }), Type.Null()], {
      description: 'an id of at most 64 characters without @ and blanks',
    }),
  ),
});

/** An object whose history is asked for. `id`: of an application a text. */
const subject = {
  account: Name,
  kind: Type.Union(
    [...resourceKinds, 'event' as const, 'application' as const].map((kind) => Type.Literal(kind)),
    { description: 'pinpoint, list, category, event or application is required' },
  ),
  id: Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.String({ pattern: '^[\\w-]{1,64}$' })], {
    description: 'a positive whole number, or the id of an application, is required',
  }),
};
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: pageItemsMax, description: `a number from 1 to ${pageItemsMax}` }));
const WholeNumber = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'a whole number from 0 is required',
});

const HistoryPage = Type.Object({ ...subject, before: Type.Optional(WholeNumber), limit: Limit });

/** `from`, `to`: revisions. `beyond`, `limit`: of a list, see `Difference`. */
const Comparison = Type.Object({ ...subject, from: WholeNumber, to: WholeNumber, beyond: Type.Optional(WholeNumber), limit: Limit });

const Blame = Type.Object(subject);

const Filter = Type.Optional(
  Type.String({ maxLength: filterCharactersMax, description: `a text of at most ${filterCharactersMax} characters` }),
);

/** The filters are the parameters of `GET /audit/v1/activity`. */
const Activity = Type.Object({
  account: Name,
  resource: Filter,
  application: Filter,
  action: Filter,
  from: Filter,
  to: Filter,
  correlation_id: Filter,
  changeset: Filter,
  request_id: Filter,
  field: Filter,
  moved: Filter,
  before: Type.Optional(WholeNumber),
  limit: Limit,
});

/** The body has one of the two fields. */
const Adoption = Type.Object({
  signing_key: Type.Optional(Type.Literal(true, { description: 'true or instead_of is required' })),
  instead_of: Type.Optional(Type.String({ description: 'the id of an installation is required' })),
});

/** See `SummaryMessage`. */
const Manifest = Type.Object(
  {
    format: Type.Literal(exportFormat, { description: `this release supports exports of format ${exportFormat}` }),
    release: Type.String(),
    incarnation: Identifier,
    time: Type.String(),
    position: Count,
    final: Type.Boolean(),
    ids: Type.Object({ pinpoint: HighestId, list: HighestId, category: HighestId, happening: HighestId }),
    events: Type.Object({ count: Count, digest: Digest, forgotten: Count, streams: Type.Record(Type.String(), Count) }),
    files: Type.Object({ count: Count, bytes: Count, missing: Count }),
  },
  { description: 'the complete manifest of the export is required' },
);

const Import = Type.Object({ run: Type.String({ ...identifier, description: 'a name is required' }), manifest: Manifest });

/** `accounts`: the digest that `createAccountsDigest` has of the export's events. */
const ImportEnd = Type.Object({ ...Import.properties, accounts: Digest });

const FileNames = Type.Object({
  names: Type.Array(Type.String(), { maxItems: filesAskedMax, description: 'names of files are required' }),
});

/** See `Batch`. */
const Events = Type.Object(
  {
    run: Identifier,
    incarnation: Identifier,
    first: Count,
    digest: Digest,
    files: Count,
    events: Type.Array(Type.Unknown(), { maxItems: batchEventsMax }),
  },
  { description: 'run, incarnation, first, digest, files, events: at least one is missing or not valid' },
);

/** The schema of the body of each call that has one. Its descriptions are the texts that refuse a body. Sent: never rename a field. */
export const bodies = {
  'POST /operator/applications': Application,
  'POST /operator/applications/:id/scopes': NewScopes,
  'POST /operator/writes': Writes,
  'POST /operator/verify': TrustedKeys,
  'POST /operator/backup': Backup,
  'POST /operator/export': Export,
  'POST /operator/forget': Order,
  'POST /operator/hold': Order,
  'POST /operator/release': Order,
  'POST /operator/history': HistoryPage,
  'POST /operator/diff': Comparison,
  'POST /operator/blame': Blame,
  'POST /operator/activity': Activity,
  'POST /operator/adopt': Adoption,
  'POST /operator/import/begin': Import,
  'POST /operator/import/missing': FileNames,
  'POST /operator/import/marks': FileNames,
  'POST /operator/import/events': Events,
  'POST /operator/import/end': ImportEnd,
} as const satisfies Readonly<Record<string, TObject>>;
