import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '../../request/validation.ts';
import { Description, Id, Name } from './fields.ts';

/** Body of a create or update request. */
export const ListBody = Type.Object({ name: Name, description: Description });
export type ListBody = Static<typeof ListBody>;

export const List = Type.Object({ id: Id, name: Type.String(), description: Type.String() });

export const parseList = createParser(ListBody);
