import {
  dates,
  file,
  html,
  isFault,
  isKept,
  number,
  optional,
  type Rule,
  type RuleContext,
  reference,
  required,
  tags,
  text,
} from './rules.ts';

export const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
export type Kind = (typeof kinds)[number];

export type Fields = Readonly<Record<string, unknown>>;

const name = required(text(255, 'trimmed', 'not blank'));
const shortText = optional('', text(1_000, 'kept', 'blank'));
const description = optional('', html);
const media_file = optional(null, file);

/** Returns a rule for each field of a body. `creating` makes a difference only for the image of a category. */
const rulesOf = (kind: Kind, creating: boolean): Readonly<Record<string, Rule>> => {
  switch (kind) {
    case 'pinpoints':
      return {
        name,
        address: shortText,
        latitude: required(number(-90, 90)),
        longitude: required(number(-180, 180)),
        altitude: optional(null, number(-12_000, 1_000_000)),
        category: optional(null, reference('categories')),
        description,
        media_credits: shortText,
        media_file,
        tags: optional([], tags),
      };
    case 'lists':
      return { name, description };
    case 'categories':
      return {
        name,
        image_file: creating ? required(file) : (value, context) => (value === undefined ? 'unsaid' : required(file)(value, context)),
      };
    case 'events':
      return {
        name,
        pinpoint: required(reference('pinpoints')),
        dates: required(dates),
        description,
        media_credits: shortText,
        media_file,
        tags: optional([], tags),
      };
  }
};

/** The fields of a response in their order, with the defaults that a create gives to missing fields. */
export const defaultsOf: Readonly<Record<Kind, Fields>> = {
  pinpoints: {
    name: undefined,
    address: '',
    latitude: undefined,
    longitude: undefined,
    altitude: null,
    category: null,
    description: '',
    media_credits: '',
    media_url: null,
    tags: [],
  },
  lists: { name: undefined, description: '' },
  categories: { name: undefined, image_url: null },
  events: { name: undefined, pinpoint: undefined, dates: undefined, description: '', media_credits: '', media_url: null, tags: [] },
};

/** The field of the response that shows the file that was sent. */
export const urlOf: Readonly<Record<Kind, string | undefined>> = {
  pinpoints: 'media_url',
  lists: undefined,
  categories: 'image_url',
  events: 'media_url',
};

/** What a body requests: the fields with their values, and a picture (null: none; undefined: unchanged). */
export type Asked = { readonly fields: Fields; readonly picture: number | null | undefined };
export type Judgement = { readonly asked: Asked } | { readonly asked: undefined; readonly faults: unknown };

/** Returns what the contract requires of a body. */
export const judge = (kind: Kind, creating: boolean, body: unknown, context: RuleContext): Judgement => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { asked: undefined, faults: expect.any(Object) };
  const fields: Record<string, unknown> = {};
  const faults: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rulesOf(kind, creating))) {
    const verdict = rule(Object.hasOwn(body, field) ? (body as Fields)[field] : undefined, context);
    if (isFault(verdict)) faults[field] = verdict.fault;
    else if (isKept(verdict)) fields[field] = verdict.kept;
  }
  if (Object.keys(faults).length > 0) return { asked: undefined, faults };
  const { media_file, image_file, ...rest } = fields;
  return { asked: { fields: rest, picture: (media_file ?? image_file ?? media_file) as Asked['picture'] } };
};
