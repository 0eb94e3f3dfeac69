import { describe, expect, it } from 'vitest';
import { chatNames } from '#lambdas/inference/chat/request/names.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import {
  argumentsSchema,
  responseSchema,
} from '#lambdas/inference/providers/translation/compilable-schema.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';
import { exampleClaudeModel } from '#test/support/providers/bedrock/call.ts';
import { readRequest } from '#test/support/providers/provider-call.ts';
import { structuredOutputError } from '#test/support/providers/structured-output-schema.ts';

const responseSchemaFor = (schema: JsonObject) => responseSchema(schema, chatNames);
const closed = (fields: object = {}) => ({ type: 'object', ...fields, additionalProperties: false });

describe('responseSchema', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['an object', { type: 'object' }, closed()],
    ['properties without a type', { properties: {} }, { properties: {}, additionalProperties: false }],
    [
      'an object or null',
      { type: ['object', 'null'] },
      { type: ['object', 'null'], additionalProperties: false },
    ],
    [
      'nested objects',
      {
        type: 'object',
        properties: { a: { type: 'object' }, b: { type: 'array', items: { type: 'object' } } },
      },
      closed({ properties: { a: closed(), b: { type: 'array', items: closed() } } }),
    ],
    [
      'definitions and alternatives',
      {
        anyOf: [{ $ref: '#/$defs/a' }, { type: 'object' }],
        $defs: { a: { type: 'object' } },
        definitions: { b: { type: 'object' } },
      },
      { anyOf: [{ $ref: '#/$defs/a' }, closed()], $defs: { a: closed() }, definitions: { b: closed() } },
    ],
    [
      'no values that look like objects',
      { enum: [{ type: 'object' }], default: { properties: 1 } },
      { enum: [{ type: 'object' }], default: { properties: 1 } },
    ],
    [
      'no properties with names of keywords',
      { type: 'object', properties: { properties: { type: 'string' }, type: { type: 'string' } } },
      closed({ properties: { properties: { type: 'string' }, type: { type: 'string' } } }),
    ],
  ])('closes %s', (_, schema, expected) => {
    expect(responseSchemaFor(schema)).toEqual({ schema: expected, ignored: [] });
  });

  it.each([[true], [{ type: 'string' }]])(
    'reports that it closes an open object: %j',
    (additionalProperties) => {
      expect(responseSchemaFor({ type: 'object', additionalProperties })).toEqual({
        schema: closed(),
        ignored: ['response_format.json_schema.schema.additionalProperties'],
      });
    },
  );

  it.each<[JsonObject, string]>([
    [{ type: 'integer', minimum: 1, maximum: 9 }, '{minimum: 1, maximum: 9}'],
    [
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      '{exclusiveMinimum: 0, exclusiveMaximum: 1}',
    ],
    [{ type: 'number', multipleOf: 0.5 }, '{multipleOf: 0.5}'],
    [{ type: 'string', minLength: 1, maxLength: 9 }, '{minLength: 1, maxLength: 9}'],
    [{ type: 'string', format: 'int64' }, '{format: "int64"}'],
    [{ type: 'string', pattern: '^(?!a)' }, '{pattern: "^(?!a)"}'],
    [
      { type: 'array', minItems: 2, maxItems: 3, uniqueItems: true },
      '{minItems: 2, maxItems: 3, uniqueItems: true}',
    ],
  ])('moves the bounds of %j into the description and reports them', (schema, description) => {
    const bounds = Object.keys(schema).filter((keyword) => keyword !== 'type');
    const ignored = bounds.map((keyword) => `response_format.json_schema.schema.${keyword}`);

    expect(responseSchemaFor(schema)).toEqual({ schema: { type: schema.type, description }, ignored });
    expect(responseSchemaFor({ ...schema, description: 'A value' }).schema).toEqual({
      type: schema.type,
      description: `A value\n\n${description}`,
    });
  });

  it.each([
    { type: 'array', minItems: 1 },
    { type: 'array', minItems: 0 },
    { type: 'string', format: 'date-time' },
    { type: 'string', pattern: '^(?:a|b){2}\\d$' },
    { type: 'number', const: 5 },
  ])('keeps what Claude compiles: %j', (schema) => {
    expect(responseSchemaFor(schema)).toEqual({ schema, ignored: [] });
  });

  it('keeps the digits of numbers', () => {
    const schema = parseExactJsonObject(
      '{"type":"integer","minimum":9007199254740993,"enum":[1.0,12345678901234567890]}',
    );

    expect(JSON.stringify(responseSchemaFor(schema ?? {}).schema)).toBe(
      '{"type":"integer","enum":[1.0,12345678901234567890],"description":"{minimum: 9007199254740993}"}',
    );
  });

  it('returns a schema that Claude compiles, and reports each bound, for any nesting', () => {
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.record<JsonObject>({
          type: fc.constantFrom('string', 'null'),
          description: fc.string(),
          minLength: fc.nat(),
        }),
        fc.record<JsonObject>({ type: fc.constant('integer'), minimum: fc.nat(), multipleOf: fc.nat() }),
        fc.record<JsonObject>({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
        fc.record<JsonObject>({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record<JsonObject>({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'minimum', 'items'), tie('schema'), { maxKeys: 2 }),
          additionalProperties: fc.constantFrom(true, false, {}),
        }),
      ),
    }));
    fc.assert(
      fc.property(schema, (generated) => {
        expect(structuredOutputError(responseSchemaFor(generated).schema)).toBeNull();
      }),
    );
  });
});

describe('argumentsSchema', () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } };

  it('changes strict tools only', () => {
    expect(argumentsSchema({ parameters, isStrict: false }, chatNames)).toEqual({
      schema: parameters,
      ignored: [],
    });
    expect(argumentsSchema({ parameters, isStrict: true }, chatNames)).toEqual({
      schema: closed({ properties: { n: { type: 'integer', description: '{minimum: 1}' } } }),
      ignored: ['tools.function.parameters.minimum'],
    });
  });

  it('is reported once for all tools, by Anthropic and Bedrock', async () => {
    const tools = ['a', 'b'].map((name) => ({
      type: 'function',
      function: { name, strict: true, parameters },
    }));
    const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } };
    const request = { tools, response_format: { type: 'json_schema', json_schema: { name: 's', schema } } };
    const ignored = ['tools.function.parameters.minimum', 'response_format.json_schema.schema.minimum'];

    expect((await callAnthropic(request)).ignoredParameters).toEqual(ignored);
    const target = { provider: 'bedrock', model: exampleClaudeModel };
    expect(toConverseRequest(readRequest(request), target).ignored).toEqual(ignored);
  });
});
