import { grows, growthOf, settledSamples } from './growth.ts';
import type { Sample } from './sampling.ts';

const minute = 60_000;

/** Returns samples over ten minutes, one every ten seconds. */
const samplesOf = (heldBytes: (minutes: number) => number, residentBytes: (minutes: number) => number = () => 150e6): readonly Sample[] =>
  Array.from({ length: 61 }, (_, nth) => ({
    atMs: 5 * minute + nth * 10_000,
    heldBytes: heldBytes(nth / 6),
    residentBytes: residentBytes(nth / 6),
  }));

it('Growth is a straight line through all samples', () => {
  const { startBytes, endBytes, bytesPerMinute } = growthOf(
    samplesOf((minutes) => 40e6 + 2e6 * minutes),
    'heldBytes',
  );
  expect([startBytes, endBytes, bytesPerMinute].map(Math.round)).toEqual([40e6, 60e6, 2e6]);
});

it('A value that rises and falls does not grow', () => {
  const wave = (minutes: number): number => 40e6 + 3e6 * Math.sin(minutes * 5);
  expect(grows(samplesOf(wave, (minutes) => 150e6 + 20e6 * Math.sin(minutes * 3)))).toBe(false);
});

it('A value that rises slowly and steadily grows, whether JavaScript holds the memory or not', () => {
  expect(grows(samplesOf((minutes) => 40e6 + 1e6 * minutes))).toBe(true);
  expect(
    grows(
      samplesOf(
        () => 40e6,
        (minutes) => 150e6 + 8e6 * minutes,
      ),
    ),
  ).toBe(true);
});

it('Memory that a process takes while its caches fill does not count', () => {
  const filling = samplesOf((minutes) => 40e6 + 5e6 * Math.min(3, minutes));
  expect(grows(filling)).toBe(true);
  expect(grows(settledSamples(filling))).toBe(false);
});
