import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { HttpError } from '../../errors.ts';
import { type Parsed, requireValid } from '../../request/validation.ts';
import { openApiDocument } from '../openapi/document.ts';
import { parseCategory, parseNewCategory } from './category.ts';
import { parseHappening } from './happening.ts';
import { parseList } from './list.ts';
import { parsePinpoint } from './pinpoint.ts';

const file = { content: 'aGVsbG8=', name: 'a.png', type: 'image/png' };

describe('any request body', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(openApiDocument({ base: 'https://maps.example', release: '1' }), 'document');

  const parsers = {
    PinpointBody: parsePinpoint,
    ListBody: parseList,
    NewCategoryBody: parseNewCategory,
    CategoryBody: parseCategory,
    EventBody: parseHappening,
  };

  const text = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.constantFrom('', ' ', '\0', '\ud800', 'e\u0301'.repeat(200)));
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(90, 91, -180, Number.POSITIVE_INFINITY));
  const any = fc.oneof(fc.jsonValue(), text, number, fc.constant(null));
  const moment = fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    any,
  );
  const sent = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.oneof(text, any),
        address: fc.oneof(text, any),
        latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), any),
        longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), any),
        altitude: fc.oneof(number, any),
        category: fc.oneof(fc.integer(), any),
        description: fc.oneof(text, any),
        pinpoint: fc.oneof(fc.integer(), any),
        dates: fc.oneof(fc.array(fc.oneof(fc.record({ start: moment, end: moment }, { requiredKeys: [] }), any)), any),
        image_file: fc.oneof(fc.record({ content: any, name: text, type: any }, { requiredKeys: [] }), fc.constant(file), any),
        media_file: fc.oneof(fc.record({ content: text, name: text, type: text }), any),
        tags: fc.oneof(fc.array(fc.oneof(text, any)), any),
      },
      { requiredKeys: ['name', 'latitude', 'longitude'] },
    ),
  );

  it.each(Object.entries(parsers))('for %s is refused with a problem, or matches the published schema', (name, parse) => {
    const validate = ajv.getSchema(`document#/components/schemas/${name}`);
    fc.assert(
      fc.property(sent, (body) => {
        try {
          const taken = requireValid(parse(structuredClone(body)) as Parsed<Record<string, unknown>>);
          expect([validate?.(taken), validate?.errors]).toEqual([true, null]);
          expect(taken['name']).toBe(String(taken['name']).normalize('NFC').trim());
        } catch (error) {
          if (!(error instanceof HttpError)) throw error;
          expect(error.status).toBe(400);
          expect(ajv.validate('document#/components/schemas/FieldErrors', error.body)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
