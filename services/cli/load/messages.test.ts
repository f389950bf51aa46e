import { messages } from './messages.ts';

describe('the messages of a response', () => {
  it('name the field that they are about', () => {
    expect(messages({ name: ['This field is required.'], media_file: { content: ['Not base64.'] } })).toEqual([
      'name: This field is required.',
      'media_file.content: Not base64.',
    ]);
  });

  it('name no field where the response names none', () => {
    expect(messages({ detail: 'JSON parse error' })).toEqual(['JSON parse error']);
    expect(messages({ non_field_errors: ['Too many.'] })).toEqual(['Too many.']);
  });
});
