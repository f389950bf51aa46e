import type { Json } from './schemas.ts';

const icon = {
  content: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  name: 'lighthouse.png',
  type: 'image/png',
};

const PinpointBody = {
  name: 'Harbour light',
  address: 'Mole 1, Nida',
  latitude: 55.303,
  longitude: 21.005,
  altitude: 3.5,
  category: 4,
  description: '<p>White, then red.</p>',
  media_credits: 'Photo: R. Jonaitis',
  media_file: icon,
  tags: ['light', 'harbour'],
};

const ListBody = { name: 'Lights of the coast', description: '<p>From north to south.</p>' };

const EventBody = {
  name: 'Open day',
  pinpoint: 12,
  dates: [{ start: '2026-06-01T08:00:00.000Z', end: '2026-06-01T18:00:00.000Z' }],
  description: '<p>Free entry.</p>',
  media_credits: 'Photo: R. Jonaitis',
  tags: ['open'],
};

/** Returns example bodies of requests and responses.
 * @param base public base URL */
export const examplesFor = (base: string) => {
  const file = `${base}/media/0f1e2d3c4b5a69788796a5b4c3d2e1f0.png`;
  const { media_file: _, tags, ...pinpoint } = PinpointBody;
  const Pinpoint = { id: 12, ...pinpoint, media_url: file, tags };
  const List = { id: 7, ...ListBody };
  const Category = { id: 4, name: 'Lighthouse', image_url: file };
  const { tags: eventTags, ...event } = EventBody;
  const Event = { id: 31, ...event, media_url: null, tags: eventTags };
  return {
    PinpointBody,
    Pinpoint,
    PinpointPage: pageOf(Pinpoint),
    ListBody,
    List,
    ListPage: pageOf(List),
    CategoryBody: { name: 'Lighthouse', image_file: icon },
    Category,
    CategoryPage: pageOf(Category),
    EventBody,
    Event,
    EventPage: pageOf(Event),
    MembershipBody: [{ id: 12 }, { id: 99 }],
    MembershipAnswer: { errors: [{ id: 99, code: 'not_found', detail: 'Not found.' }], total: 1 },
    ChangesetBody: { comment: 'Opening hours of the summer', by: 'R. Jonaitis' },
    OpenedChangeset: { id: '9b2f6c1e-4a7d-4c38-8f15-2d0e6b7a9c43' },
    RevisionBody: { revision: 3 },
    UndoReport: {
      object: { kind: 'pinpoints', id: 12 },
      outcome: 'undone',
      event: '0190b7f2-6a51-7cc0-9d9e-0d3b5f9a6c11',
      revision: 5,
      reason: null,
      fields: [],
      pinpoints: [],
    },
    UndoJobBody: { correlation: '9b2f6c1e-4a7d-4c38-8f15-2d0e6b7a9c43', dry_run: true },
    UndoJob: {
      id: '3f1c2c1e-8f7d-4b8a-9a55-0c6b7a9c4321',
      status: 'running',
      reason: null,
      dry_run: true,
      correlation: '9b2f6c1e-4a7d-4c38-8f15-2d0e6b7a9c43',
      application: null,
      from: null,
      to: null,
      progress: { objects: null, done: 0 },
      report: null,
    },
    TokenForm: { grant_type: 'client_credentials', client_id: '5d41402abc4b2a76b9719d911017c592' },
    Token: { access_token: 'kq1uCjJ0h2rZ9vXw3sYb7aLm5nPt8dFe4gHi6oQcUxE', expires_in: 36_000, scope: 'write read', token_type: 'Bearer' },
    OwnTokenForm: { token: 'kq1uCjJ0h2rZ9vXw3sYb7aLm5nPt8dFe4gHi6oQcUxE' },
    Introspection: { active: false },
  } satisfies Json;
};

const pageOf = (item: object) => ({ results: [item], next: null, previous: null });

export type ExampleName = keyof ReturnType<typeof examplesFor>;
