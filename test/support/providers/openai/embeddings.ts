/** The embeddings of the fake providers with OpenAI's format. */
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { countTokens, simulateVector } from '../simulated-vectors.ts';
import { jsonResponse, type RecordedRequest, type Respond } from '../upstream-responses.ts';
import { errorResponse } from './error-response.ts';
import type { Dialect } from './protocol.ts';

interface EmbeddingsDialect {
  /** The fields that are not rejected; all fields when unset. */
  fields?: readonly string[];
  /** The name of the field for the size of the vectors. */
  dimensionsField?: string;
  /** The values of `input_type`, which is required, by a model's name. */
  inputTypes?(model: string): readonly string[];
  /** False for a server that sends floats whatever is asked for. */
  supportsBase64?: boolean;
  /** False for a server that does not report tokens. */
  reportsUsage?: boolean;
}

/** https://platform.openai.com/docs/api-reference/embeddings/create, as in the `openai` package 7.55.0. */
export const openAiEmbeddings: EmbeddingsDialect = {
  fields: ['model', 'input', 'dimensions', 'encoding_format', 'user'],
};

/** https://docs.mistral.ai/api/#tag/embeddings */
export const mistralEmbeddings: EmbeddingsDialect = {
  fields: ['model', 'input', 'output_dimension', 'output_dtype', 'encoding_format', 'metadata'],
  dimensionsField: 'output_dimension',
};

/** https://docs.api.nvidia.com/nim/reference/nvidia-nv-embedqa-e5-v5 */
export const nvidiaEmbeddings: EmbeddingsDialect = {
  fields: ['model', 'input', 'input_type', 'encoding_format', 'truncate', 'dimensions', 'user'],
  inputTypes: (model) => (model.includes('embedqa') ? ['query', 'passage'] : []),
};

/** A self-hosted server with the minimum of the format. */
export const minimalEmbeddings: EmbeddingsDialect = { supportsBase64: false, reportsUsage: false };

const maxInputs = 2048;
const sizes: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};
const defaultSize = 1024;

export function openAiEmbeddingsAt(
  path: string,
  dialect: EmbeddingsDialect,
): Required<Dialect>['embeddings'] {
  return { path, respond: (request) => respond(request, dialect) };
}

function respond(request: RecordedRequest, dialect: EmbeddingsDialect): Respond {
  const body = parseJsonObject(request.body.toString());
  if (body === null) return errorResponse(400, { error: { message: 'The body is no JSON object.' } });
  const rejection = findRejection(body, dialect);
  if (rejection !== null) return errorResponse(400, { error: { code: null, ...rejection } });
  const { model, encoding_format: encoding } = body;
  const texts = inputsOf(body);
  const { dimensionsField = 'dimensions', supportsBase64 = true, reportsUsage = true } = dialect;
  const size = Number(body[dimensionsField] ?? sizes[String(model)] ?? defaultSize);
  const data = texts.map((text, index) => {
    const vector = simulateVector(text, size);
    const isBase64 = supportsBase64 && encoding === 'base64';
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    return { object: 'embedding', index, embedding };
  });
  const tokens = tokensOf(body);
  const usage = reportsUsage && { usage: { prompt_tokens: tokens, total_tokens: tokens } };
  return jsonResponse({ object: 'list', data, model, ...usage });
}

interface Rejection {
  message: string;
  param: string;
}

function findRejection(body: JsonObject, dialect: EmbeddingsDialect): Rejection | null {
  const { model, input, input_type: inputType, encoding_format: encoding = 'float' } = body;
  const unknownField = dialect.fields && Object.keys(body).find((name) => !dialect.fields?.includes(name));
  if (unknownField !== undefined)
    return { param: unknownField, message: `Unrecognized request argument supplied: ${unknownField}` };
  if (typeof model !== 'string') return { param: 'model', message: 'you must provide a model parameter' };
  const inputs = Array.isArray(input) ? input : [input];
  if (inputs.length === 0 || inputs.some((item) => item === '' || item === undefined))
    return { param: 'input', message: "'$.input' is invalid." };
  if (inputs.length > maxInputs && typeof inputs[0] !== 'number')
    return { param: 'input', message: `'$.input' must have at most ${maxInputs} items.` };
  if (encoding !== 'float' && encoding !== 'base64')
    return { param: 'encoding_format', message: "'$.encoding_format' must be float or base64." };
  if (body.dimensions !== undefined && model.includes('ada'))
    return { param: 'dimensions', message: 'This model does not support specifying dimensions.' };
  const inputTypes = dialect.inputTypes?.(model) ?? [];
  if (inputTypes.length > 0 && !inputTypes.includes(String(inputType)))
    return { param: 'input_type', message: `'input_type' must be one of: ${inputTypes.join(', ')}` };
  return null;
}

/** Tokens count as a text of their numbers. */
function inputsOf({ input }: JsonObject): string[] {
  if (!Array.isArray(input)) return [String(input)];
  return isTokens(input) ? [JSON.stringify(input)] : input.map((item) => toText(item));
}

function toText(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

function isTokens(input: unknown): input is number[] {
  return Array.isArray(input) && typeof input[0] === 'number';
}

function tokensOf({ input }: JsonObject): number {
  if (isTokens(input)) return input.length;
  const items: unknown[] = Array.isArray(input) ? input : [input];
  return items.reduce<number>(
    (sum, item) => sum + (Array.isArray(item) ? item.length : countTokens(String(item))),
    0,
  );
}
