import { type TSchema, Type } from '@sinclair/typebox';
import { instantPattern } from '../../request/validation.ts';
import { Category, CategoryBody, NewCategoryBody } from '../schemas/category.ts';
import { ChangesetBody, OpenedChangeset } from '../schemas/changeset.ts';
import { DeletedDetail, Detail, FieldErrors } from '../schemas/errors.ts';
import { FileObject } from '../schemas/fields.ts';
import { DateRange, Happening, HappeningBody } from '../schemas/happening.ts';
import {
  ActivityEntry,
  ActivityPage,
  ActivityStream,
  Actor,
  ApplicationVersion,
  AtLeast,
  Blame,
  ChangedObject,
  Changeset,
  ChangesPage,
  Diff,
  FieldChange,
  HistoryEntry,
  HistoryPage,
  Refusal,
  RefusalPage,
  Setting,
} from '../schemas/history.ts';
import { List, ListBody } from '../schemas/list.ts';
import { Member, MembershipAnswer, MembershipBody, MembershipError } from '../schemas/membership.ts';
import { Introspection, OAuthError, OwnTokenForm, Revocation, ServerMetadata, Token, TokenForm } from '../schemas/oauth.ts';
import { pageOf } from '../schemas/page.ts';
import { Pinpoint, PinpointBody } from '../schemas/pinpoint.ts';
import { ConsistencyProof, ExportPage, InclusionProof, ProvenRoot } from '../schemas/proof.ts';
import { KeptReport, RevisionBody, UndoJob, UndoJobBody, UndoJobResult, UndoReport } from '../schemas/undo.ts';

/** An object as of a revision. */
const Version = Type.Union([Pinpoint, List, Category, Happening, ApplicationVersion]);

/** The validation schemas, under their names in the document. */
const named = {
  Pinpoint,
  PinpointBody,
  PinpointPage: pageOf(Pinpoint),
  List,
  ListBody,
  ListPage: pageOf(List),
  Category,
  NewCategoryBody,
  CategoryBody,
  CategoryPage: pageOf(Category),
  Event: Happening,
  EventBody: HappeningBody,
  EventPage: pageOf(Happening),
  DateRange,
  FileObject,
  Member,
  MembershipBody,
  MembershipAnswer,
  MembershipError,
  Detail,
  DeletedDetail,
  FieldErrors,
  HistoryPage,
  HistoryEntry,
  ActivityPage,
  Refusal,
  RefusalPage,
  ActivityEntry,
  ChangesPage,
  ChangedObject,
  AtLeast,
  ActivityStream,
  Version,
  ApplicationVersion,
  FieldChange,
  Actor,
  Changeset,
  Diff,
  ChangesetBody,
  OpenedChangeset,
  RevisionBody,
  UndoReport,
  KeptReport,
  UndoJobBody,
  UndoJob,
  UndoJobResult,
  Blame,
  Setting,
  ProvenRoot,
  InclusionProof,
  ConsistencyProof,
  ExportPage,
  Token,
  TokenForm,
  OwnTokenForm,
  Revocation,
  Introspection,
  OAuthError,
  ServerMetadata,
} satisfies Record<string, TSchema>;

export type SchemaName = keyof typeof named;

/** Part of a document, as JSON. */
export type Json = Readonly<Record<string, unknown>>;

export const schemaRef = (name: SchemaName): Json => ({ $ref: `#/components/schemas/${name}` });

/** Returns the component schemas. A named schema is referred to by its name wherever another schema uses it. */
export const schemas = (): Json => Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, published(schema)]));

/** The names of schemas by their properties. A nullable or optional variant shares the properties of the schema that it was made from. */
const names: ReadonlyMap<unknown, SchemaName> = new Map(
  Object.entries(named).map(([name, schema]) => [(schema as Json)['properties'] ?? schema, name as SchemaName]),
);

const nested = (schema: Json): Json => {
  const name = names.get(schema['properties'] ?? schema);
  if (name === undefined) return published(schema);
  return [schema['type']].flat().includes('null') ? { anyOf: [schemaRef(name), { type: 'null' }] } : schemaRef(name);
};

/** Returns a schema without the keywords that only Waymark knows. */
export const published = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => publishedKeyword(keyword, value)));

const publishedKeyword = (keyword: string, value: unknown): readonly (readonly [string, unknown])[] => {
  switch (keyword) {
    case 'text':
    case 'inOrder':
      return [];
    case 'format':
      return value === 'instant'
        ? [
            ['format', 'date-time'],
            ['pattern', instantPattern.source],
          ]
        : [[keyword, value]];
    case 'properties':
    case 'patternProperties':
      return [[keyword, Object.fromEntries(Object.entries(value as Json).map(([name, schema]) => [name, nested(schema as Json)]))]];
    case 'items':
    case 'additionalProperties':
      return [[keyword, nested(value as Json)]];
    case 'anyOf':
      return [[keyword, (value as readonly Json[]).map(nested)]];
    default:
      return [[keyword, value]];
  }
};
