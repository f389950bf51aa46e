import { type Static, Type } from '@sinclair/typebox';
import { createParser } from '../../request/validation.ts';
import { FileObject, FileUrl, Id, Name } from './fields.ts';

export const NewCategoryBody = Type.Object({ name: Name, image_file: FileObject });
export type NewCategoryBody = Static<typeof NewCategoryBody>;

/** An update may omit the image, which then stays as it is, but cannot remove it. */
export const CategoryBody = Type.Object({ name: Name, image_file: Type.Optional(FileObject) });
export type CategoryBody = Static<typeof CategoryBody>;

export const Category = Type.Object({ id: Id, name: Type.String(), image_url: FileUrl });

export const parseNewCategory = createParser(NewCategoryBody);
export const parseCategory = createParser(CategoryBody);
