import fc from 'fast-check';
import { distanceMetres } from './distance.ts';

const halfEquatorMetres = Math.PI * 6_371_008.8;
const degreeMetres = halfEquatorMetres / 180;
const at = (latitude: number, longitude: number) => ({ latitude, longitude });

const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const anywhere = fc.record({ latitude, longitude });

describe('The distance between two points', () => {
  it.each([
    ['along a meridian', at(54, 21), at(55, 21), degreeMetres],
    ['along the equator', at(0, 10), at(0, 11), degreeMetres],
    ['across the antimeridian', at(0, 179.5), at(0, -179.5), degreeMetres],
    ['across a pole', at(89.5, 20), at(89.5, -160), degreeMetres],
    ['from pole to pole', at(90, 0), at(-90, 77), halfEquatorMetres],
    ['between two names of a pole', at(-90, 12), at(-90, 170), 0],
    ['between two names of the antimeridian', at(30, 180), at(30, -180), 0],
    ['of a few millimetres', at(0, 0), at(0.00000005, 0), 0.00556],
  ])('is measured %s', (_, from, to, metres) => {
    expect(distanceMetres(from, to)).toBeCloseTo(metres, 5);
  });

  it('agrees with a published distance: from the airport of Nashville to that of Los Angeles', () => {
    // Rosetta Code, "Haversine formula": 2887.2599 km with a radius of 6372.8 km.
    expect(distanceMetres(at(36.12, -86.67), at(33.94, -118.4))).toBeCloseTo((2_887_259.9506 * 6_371_008.8) / 6_372_800, 1);
  });

  it('is the same in both directions, and at most half of the way round the Earth', () => {
    fc.assert(
      fc.property(anywhere, anywhere, (from, to) => {
        const metres = distanceMetres(from, to);
        expect(metres).toBe(distanceMetres(to, from));
        expect(metres).toBeGreaterThanOrEqual(0);
        expect(metres).toBeLessThanOrEqual(halfEquatorMetres);
      }),
    );
  });

  it('is half of the way round the Earth between opposite points', () => {
    fc.assert(
      fc.property(anywhere, (from) => {
        const opposite = at(-from.latitude, from.longitude > 0 ? from.longitude - 180 : from.longitude + 180);
        expect(Math.abs(distanceMetres(from, opposite) - halfEquatorMetres)).toBeLessThan(1);
      }),
      { numRuns: 1_000 },
    );
  });
});
