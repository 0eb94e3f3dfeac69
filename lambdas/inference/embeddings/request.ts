/** Parses and validates an embeddings request. https://platform.openai.com/docs/api-reference/embeddings/create */
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { isAbsent } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { positiveInteger } from '../providers/output-limit.ts';
import type { CallerRequest } from '../providers/provider.ts';
import { parseBody, readModel } from '../request-body.ts';

export interface EmbeddingsRequest extends CallerRequest {
  readonly stream: false;
  readonly text: string;
  /** Parsed from `text`, for reading only. */
  readonly body: JsonObject;
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly input: EmbeddingsInput;
  /** The position of the first input in the caller's request, of which this one may be a part. */
  readonly firstIndex: number;
  readonly encoding: VectorEncoding;
  readonly dimensions: number | null;
  /** The use of the vectors, such as `search_query`: Cohere's field, which other providers have too. */
  readonly inputType: string | null;
}

/** Texts, or texts that the caller has already split into tokens. */
type EmbeddingsInput =
  | { kind: 'texts'; texts: readonly string[] }
  | { kind: 'tokens'; lists: readonly (readonly number[])[] };

/** `base64` is that of little-endian 32-bit floats. */
export type VectorEncoding = 'float' | 'base64';

/** Throws a `GatewayError` (400) that names the invalid field. */
export function parseEmbeddingsRequest(text: string): EmbeddingsRequest {
  const body = parseBody(text);
  return {
    stream: false,
    text,
    body,
    model: readModel(body),
    input: readInput(body.input),
    firstIndex: 0,
    encoding: readEncoding(body.encoding_format),
    dimensions: readDimensions(body.dimensions),
    inputType: readInputType(body.input_type),
  };
}

const inputForms = 'input must be a string, an array of strings, or an array of tokens or of lists of tokens';

function readInput(input: unknown): EmbeddingsInput {
  if (typeof input === 'string') return { kind: 'texts', texts: [input] };
  if (!Array.isArray(input)) throw invalidRequestError('input', inputForms);
  if (input.length === 0) throw invalidRequestError('input', 'input must not be empty');
  if (input.every((item) => typeof item === 'string')) return { kind: 'texts', texts: input };
  if (isTokenList(input)) return { kind: 'tokens', lists: [input] };
  if (input.every(isTokenList)) return { kind: 'tokens', lists: input };
  throw invalidRequestError('input', inputForms);
}

function isTokenList(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger);
}

function readEncoding(value: unknown): VectorEncoding {
  if (isAbsent(value)) return 'float';
  if (value === 'float' || value === 'base64') return value;
  throw invalidRequestError('encoding_format', 'encoding_format must be float or base64');
}

function readDimensions(value: unknown): number | null {
  if (isAbsent(value)) return null;
  const dimensions = positiveInteger(value);
  if (dimensions !== null) return dimensions;
  throw invalidRequestError('dimensions', 'dimensions must be a positive whole number');
}

function readInputType(value: unknown): string | null {
  if (isAbsent(value)) return null;
  if (typeof value === 'string') return value;
  throw invalidRequestError('input_type', 'input_type must be a string, such as search_query');
}

export function countInputs({ input }: EmbeddingsRequest): number {
  return input.kind === 'texts' ? input.texts.length : input.lists.length;
}

/** Throws a `GatewayError` (400) for tokens, which are those of one model's tokenizer. */
export function textsOf({ input }: EmbeddingsRequest, provider: string): readonly string[] {
  if (input.kind === 'texts') return input.texts;
  throw new GatewayError('unsupported_parameter', {
    param: 'input',
    message: `input must be text for the provider ${provider}, which does not take tokens`,
  });
}

/** OpenAI's fields, and `input_type`, which many providers have. */
const knownFields = ['dimensions', 'encoding_format', 'input', 'input_type', 'model', 'user'];

/** Bounds the size of what some providers receive for every text. */
const maxProviderFieldBytes = 2_000;

/**
 * The caller's fields outside OpenAI's format, which are passed to the provider unchanged. Throws a `GatewayError` (400) if
 * they are too long.
 */
export function providerFieldsOf({ body }: EmbeddingsRequest): JsonObject {
  const fields = otherFieldsOf(body);
  let bytes = 0;
  for (const [name, value] of Object.entries(fields)) {
    bytes += Buffer.byteLength(JSON.stringify({ [name]: value }));
    if (bytes > maxProviderFieldBytes) throw longFieldError(name);
  }
  return fields;
}

/** An upper bound of the bytes by which the fields of `providerFieldsOf` exceed those in the caller's request. */
export function maxRepeatedBytes(request: EmbeddingsRequest): number {
  const bytes = Buffer.byteLength(JSON.stringify(otherFieldsOf(request.body))) - '{}'.length;
  return countInputs(request) * Math.min(bytes, maxProviderFieldBytes);
}

function otherFieldsOf(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !knownFields.includes(name)));
}

function longFieldError(name: string): GatewayError {
  return invalidRequestError(
    name,
    `${name} is too long: the fields that are not OpenAI's must have at most ${maxProviderFieldBytes} bytes together, since each call of the provider repeats them`,
  );
}

/** The reported names of the caller's hints that a provider without these fields does not receive. */
export function ignoredFields({ body }: EmbeddingsRequest, names: readonly string[]): string[] {
  return names.filter((name) => !isAbsent(body[name]));
}
