import { type FileObject, fileOf, picture } from '../../api/pictures.ts';

/** A valid file object. */
export type Picture = FileObject;

/** Creates a few pictures of different types, so that some are sent more than once. */
export const somePictures = async (): Promise<readonly Picture[]> => [
  fileOf(await picture('image/png'), 'image/png'),
  fileOf(await picture('image/jpeg'), 'image/jpeg'),
  fileOf(await picture('image/png'), 'image/png', '../up.PNG.png'),
];
