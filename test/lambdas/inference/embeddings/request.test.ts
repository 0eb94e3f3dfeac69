import { describe, expect, it } from 'vitest';
import {
  countInputs,
  maxRepeatedBytes,
  parseEmbeddingsRequest,
  providerFieldsOf,
  textsOf,
} from '#lambdas/inference/embeddings/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const model = 'openai/text-embedding-3-small';
const parse = (fields: object) => parseEmbeddingsRequest(JSON.stringify({ model, ...fields }));

function errorOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, param, message } = error;
    return { code, param, message };
  }
  throw new Error('Nothing was thrown');
}

describe('The input of an embeddings request', () => {
  it.each([
    ['a text', 'Hi', { kind: 'texts', texts: ['Hi'] }],
    ['an empty text, which the provider may refuse', '', { kind: 'texts', texts: [''] }],
    ['texts', ['Hi', 'there'], { kind: 'texts', texts: ['Hi', 'there'] }],
    ['tokens of one text', [9906, 0], { kind: 'tokens', lists: [[9906, 0]] }],
    ['tokens of several texts', [[9906], [1, 2]], { kind: 'tokens', lists: [[9906], [1, 2]] }],
  ])('may be %s', (_, input, expected) => {
    expect(parse({ input }).input).toEqual(expected);
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1],
    ['an object', { text: 'Hi' }],
    ['a list of texts and tokens', ['Hi', 1]],
    ['a list of texts and lists of tokens', ['Hi', [1]]],
    ['a list of lists of texts', [['Hi']]],
    ['a list with a fraction', [1.5]],
    ['a list with an empty list of tokens', [[1], []]],
    ['a list of objects', [{ text: 'Hi' }]],
  ])('must not be %s', (_, input) => {
    expect(errorOf(() => parse({ input }))).toEqual({
      code: 'invalid_request_error',
      param: 'input',
      message: 'input must be a string, an array of strings, or an array of tokens or of lists of tokens',
    });
  });

  it('must not be an empty list', () => {
    expect(errorOf(() => parse({ input: [] }))).toMatchObject({
      param: 'input',
      message: 'input must not be empty',
    });
  });

  it('counts as one vector for each text and each list of tokens', () => {
    const inputs = ['Hi', ['Hi', 'there'], [1, 2, 3], [[1, 2], [3]]];

    expect(inputs.map((input) => countInputs(parse({ input })))).toEqual([1, 2, 1, 2]);
  });

  it('is text for a provider that does not take tokens', () => {
    expect(textsOf(parse({ input: ['Hi'] }), 'google')).toEqual(['Hi']);
    expect(errorOf(() => textsOf(parse({ input: [1] }), 'google'))).toEqual({
      code: 'unsupported_parameter',
      param: 'input',
      message: 'input must be text for the provider google, which does not take tokens',
    });
  });
});

describe('The options of an embeddings request', () => {
  it('have defaults', () => {
    for (const options of [{}, { encoding_format: null, dimensions: null, input_type: null }]) {
      expect(parse({ input: 'Hi', ...options })).toMatchObject({
        stream: false,
        model,
        firstIndex: 0,
        encoding: 'float',
        dimensions: null,
        inputType: null,
      });
    }
  });

  it('are read', () => {
    const options = { encoding_format: 'base64', dimensions: 256, input_type: 'search_query' };

    expect(parse({ input: 'Hi', ...options })).toMatchObject({
      encoding: 'base64',
      dimensions: 256,
      inputType: 'search_query',
    });
  });

  it.each([
    ['encoding_format', 'int8', 'encoding_format must be float or base64'],
    ['encoding_format', ['float'], 'encoding_format must be float or base64'],
    ['dimensions', 0, 'dimensions must be a positive whole number'],
    ['dimensions', 1.5, 'dimensions must be a positive whole number'],
    ['dimensions', '256', 'dimensions must be a positive whole number'],
    ['input_type', 1, 'input_type must be a string, such as search_query'],
    ['model', '', 'model must be a string of the form <provider>/<model>'],
  ])('must be valid: %s, not %j', (param, value, message) => {
    expect(errorOf(() => parse({ input: 'Hi', [param]: value }))).toEqual({
      code: 'invalid_request_error',
      param,
      message,
    });
  });

  it('must be those of a JSON object', () => {
    expect(errorOf(() => parseEmbeddingsRequest('{'))).toMatchObject({ param: 'body' });
    expect(errorOf(() => parseEmbeddingsRequest('[]'))).toMatchObject({ param: 'body' });
  });
});

describe("The fields that are not OpenAI's", () => {
  const known = { input: ['Hi', 'there'], dimensions: 8, encoding_format: 'float', user: 'ada' };

  it('are passed to a provider of another format', () => {
    const request = parse({ ...known, input_type: 'x', title: 'Greetings', truncate: 'END' });

    expect(providerFieldsOf(request)).toEqual({ title: 'Greetings', truncate: 'END' });
  });

  it('must have at most 2,000 bytes together', () => {
    const atLimit = parse({ ...known, title: 'x'.repeat(1_000 - 12), other: 'x'.repeat(1_000 - 12) });
    const aboveLimit = parse({ ...known, title: 'x'.repeat(1_000 - 12), other: 'x'.repeat(1_000 - 11) });

    expect(Object.keys(providerFieldsOf(atLimit))).toEqual(['title', 'other']);
    expect(errorOf(() => providerFieldsOf(aboveLimit))).toEqual({
      code: 'invalid_request_error',
      param: 'other',
      message:
        "other is too long: the fields that are not OpenAI's must have at most 2000 bytes together, since each call of the provider repeats them",
    });
  });

  it('can be repeated for each input, as far as they are passed on', () => {
    expect(maxRepeatedBytes(parse({ ...known, title: 'abc' }))).toBe(2 * '"title":"abc"'.length);
    expect(maxRepeatedBytes(parse({ ...known, title: 'x'.repeat(5_000) }))).toBe(2 * 2_000);
    expect(maxRepeatedBytes(parse({ input: 'Hi' }))).toBe(0);
  });
});
