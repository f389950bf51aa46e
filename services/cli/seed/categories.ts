import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';

/** A category of the demonstration map: a Maki icon, white on a disc of the category's colour. */
export type Category = { readonly name: string; readonly icon: string; readonly colour: string };

export const categories: readonly Category[] = [
  { name: 'International airport', icon: 'airport', colour: '#1f5fa8' },
  { name: 'Regional airport', icon: 'airfield', colour: '#4a90c2' },
  { name: 'Seaplane base', icon: 'harbor', colour: '#0f8b8d' },
  { name: 'Heliport', icon: 'heliport', colour: '#5a6b7b' },
  { name: 'Capital', icon: 'star', colour: '#b3261e' },
  { name: 'Megacity', icon: 'city', colour: '#6a3d9a' },
  { name: 'Big city', icon: 'commercial', colour: '#8d6e3f' },
  { name: 'Northern town', icon: 'village', colour: '#2e7d6b' },
  { name: 'Southern town', icon: 'lighthouse', colour: '#c26a00' },
];

const pixels = 96;
const require = createRequire(import.meta.url);
const icons = join(dirname(require.resolve('@mapbox/maki/package.json')), 'icons');

/** Returns the category's image as the API accepts it. */
export const imageOf = async ({ icon, colour }: Category): Promise<{ content: string; name: string; type: string }> => {
  const svg = await readFile(join(icons, `${icon}.svg`), 'utf8');
  const shapes = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'));
  const disc = `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="-5 -5 25 25">
    <circle cx="7.5" cy="7.5" r="12" fill="${colour}"/><g fill="#fff">${shapes}</g></svg>`;
  const png = await sharp(Buffer.from(disc)).png().toBuffer();
  return { content: png.toString('base64'), name: `${icon}.png`, type: 'image/png' };
};
