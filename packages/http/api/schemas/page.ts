import { type TSchema, Type } from '@sinclair/typebox';
import { pageItemsMax } from '../../limits.ts';
import { nullable } from './fields.ts';

const PageUrl = nullable(Type.String({ format: 'uri', description: 'Complete URL, to be followed as it is; null where there is none' }));

/** Returns the schema of one page of a collection. */
export const pageOf = (item: TSchema) =>
  Type.Object({ results: Type.Array(item, { maxItems: pageItemsMax }), next: PageUrl, previous: PageUrl });
