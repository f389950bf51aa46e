import { type FileObject, fileOf, picture } from '../../api/pictures.ts';

/** A file object that is good as it is. */
export type Picture = FileObject;

/** A few pictures of different types, so that the same one is sent again now and then. */
export const somePictures = async (): Promise<readonly Picture[]> => [
  fileOf(await picture('image/png'), 'image/png'),
  fileOf(await picture('image/jpeg'), 'image/jpeg'),
  fileOf(await picture('image/png'), 'image/png', '../up.PNG.png'),
];
