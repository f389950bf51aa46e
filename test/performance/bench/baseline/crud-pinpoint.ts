import { Ajv } from 'ajv';

/** A pinpoint as clients send it. */
export type PinpointInput = {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly address?: string;
  readonly altitude?: number | null;
  readonly category?: number | null;
  readonly description?: string;
  readonly media_credits?: string;
  readonly tags?: readonly string[];
};

type Parsed = { readonly pinpoint: PinpointInput } | { readonly errors: Record<string, string[]> };

const text = (maxLength: number) => ({ type: 'string', maxLength });

const validate = new Ajv({ allErrors: true, removeAdditional: true }).compile<PinpointInput>({
  type: 'object',
  required: ['name', 'latitude', 'longitude'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    latitude: { type: 'number', minimum: -90, maximum: 90 },
    longitude: { type: 'number', minimum: -180, maximum: 180 },
    address: text(1_000),
    altitude: { type: ['number', 'null'], minimum: -12_000, maximum: 1_000_000 },
    category: { type: ['integer', 'null'], minimum: 1 },
    description: text(100_000),
    media_credits: text(1_000),
    tags: { type: 'array', maxItems: 100, items: { type: 'string', minLength: 1, maxLength: 100 } },
  },
});

export const parsePinpoint = (body: unknown): Parsed => {
  if (validate(body)) return { pinpoint: body };
  const errors: Record<string, string[]> = {};
  for (const error of validate.errors ?? []) {
    const field = error.instancePath.split('/')[1] ?? error.params['missingProperty'] ?? 'non_field_errors';
    errors[field] = [...(errors[field] ?? []), error.message ?? 'is invalid'];
  }
  return { errors };
};
