import { type DemoPlace, html } from './places.ts';

export type Happening = {
  readonly name: string;
  readonly place: DemoPlace;
  readonly dates: readonly { readonly start: string; readonly end: string }[];
  readonly description: string;
  readonly tags: readonly string[];
};

/** A happening that could take place anywhere. Hours are UTC; it takes place `times` times, `every` days apart. */
type Idea = {
  readonly title: string;
  readonly description: string;
  readonly tag: string;
  readonly from: number;
  readonly hours: number;
  readonly every: number;
  readonly times: number;
};

const atAirports: readonly Idea[] = [
  {
    title: 'Open day',
    description: 'Hangars, tower and fire station open their doors.',
    tag: 'open day',
    from: 9,
    hours: 8,
    every: 1,
    times: 2,
  },
  {
    title: "Spotters' weekend",
    description: 'A stand beside the runway for everybody with a camera.',
    tag: 'spotting',
    from: 6,
    hours: 12,
    every: 1,
    times: 2,
  },
  {
    title: 'Runway night run',
    description: 'Five kilometres between the lights, before the first departure.',
    tag: 'running',
    from: 1,
    hours: 3,
    every: 1,
    times: 1,
  },
  {
    title: 'Model aircraft fair',
    description: 'Builders show what flies, and what looks as if it did.',
    tag: 'fair',
    from: 10,
    hours: 7,
    every: 7,
    times: 3,
  },
];

const inCities: readonly Idea[] = [
  {
    title: 'City marathon',
    description: 'Through the middle of the city, with half the distance for those who prefer it.',
    tag: 'running',
    from: 7,
    hours: 7,
    every: 1,
    times: 1,
  },
  {
    title: 'Night of the museums',
    description: 'One ticket, every house, until long after midnight.',
    tag: 'museum',
    from: 17,
    hours: 8,
    every: 1,
    times: 1,
  },
  { title: 'Street food weekend', description: 'What the city eats, out of doors.', tag: 'food', from: 11, hours: 11, every: 1, times: 3 },
  {
    title: 'Open-air cinema',
    description: 'Bring a blanket: the screen stands in the park.',
    tag: 'cinema',
    from: 19,
    hours: 3,
    every: 7,
    times: 3,
  },
  {
    title: 'Book fair',
    description: 'Publishers large and small, and readings every hour.',
    tag: 'books',
    from: 9,
    hours: 9,
    every: 1,
    times: 3,
  },
];

const eachKind = 40;
const dayMs = 24 * 60 * 60 * 1_000;
const firstInDays = 3;
const daysBetween = 4;

/** Returns happenings at some of the places, spread over the months after a day. */
export const happeningsAt = (places: readonly DemoPlace[], nowMs: number): readonly Happening[] => {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const at = (category: string, ideas: readonly Idea[]): readonly Happening[] =>
    spread(places.filter((place) => place.category === category)).map((place, index) =>
      happening(place, pick(ideas, index), today + (firstInDays + index * daysBetween) * dayMs),
    );
  return [...at('International airport', atAirports), ...at('Capital', inCities)];
};

/** Selects some of the places, from all over the world. */
const spread = (places: readonly DemoPlace[]): readonly DemoPlace[] => {
  const step = Math.max(1, Math.floor(places.length / eachKind));
  return places.filter((_, index) => index % step === 0).slice(0, eachKind);
};

const pick = (ideas: readonly Idea[], index: number): Idea => ideas[index % ideas.length] as Idea;

const happening = (place: DemoPlace, idea: Idea, dayOneMs: number): Happening => ({
  name: `${idea.title}: ${place.name}`,
  place,
  dates: Array.from({ length: idea.times }, (_, time) => dateRange(dayOneMs + time * idea.every * dayMs, idea)),
  description: `<p>${html(idea.description)}</p><p><em>Made up for the demonstration.</em></p>`,
  tags: ['demo', idea.tag],
});

const hourMs = 60 * 60 * 1_000;
const dateRange = (dayMs: number, { from, hours }: Idea): { start: string; end: string } => {
  const startMs = dayMs + from * hourMs;
  return { start: new Date(startMs).toISOString(), end: new Date(startMs + hours * hourMs).toISOString() };
};
