/** Decimal degrees. */
export type Coordinates = { readonly latitude: number; readonly longitude: number };

/** The mean radius of the Earth. */
const earthRadiusMetres = 6_371_008.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const haversine = (angle: number): number => Math.sin(angle / 2) ** 2;

/** Returns the length of the shortest way along the surface of a sphere, in metres. Libraries are no help: @turf/distance gives NaN for some
 * opposite points, because rounding can make the haversine greater than 1. */
export const distanceMetres = (from: Coordinates, to: Coordinates): number => {
  const [fromLatitude, toLatitude] = [radians(from.latitude), radians(to.latitude)];
  const turned = haversine(radians(to.longitude - from.longitude));
  const share = haversine(toLatitude - fromLatitude) + Math.cos(fromLatitude) * Math.cos(toLatitude) * turned;
  return 2 * earthRadiusMetres * Math.asin(Math.sqrt(Math.min(1, share)));
};
