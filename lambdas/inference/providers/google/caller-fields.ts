/** What a caller says to the Gemini API in its own words, beside OpenAI's parameters. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { isAbsent, readObject, unsupportedParameter, withProviderFields } from '../translation/parameters.ts';

/**
 * The fields of a `GenerateContentRequest` in camel case, and those that Google's own OpenAI endpoint takes in
 * `extra_body.google`: https://ai.google.dev/gemini-api/docs/openai#extra-body
 */
export function ownFields({ extra_body: extra, ...fields }: JsonObject): JsonObject {
  const own = camelCased(fields);
  if (isAbsent(extra)) return own;
  const { google = {}, ...others } = readObject(extra, 'extra_body');
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const param = `extra_body.${other}`;
    throw unsupportedParameter(
      param,
      `${param} is not supported: Google's own fields are in extra_body.google`,
    );
  }
  const { thinkingConfig, ...rest } = camelCased(readObject(google, 'extra_body.google'));
  const thinking = thinkingConfig === undefined ? {} : { generationConfig: { thinkingConfig } };
  return withProviderFields({ ...rest, ...thinking }, own);
}

/** Whether the caller says there how much to think, which `reasoning_effort` then must not. */
export function saysThinking({ generationConfig }: JsonObject): boolean {
  const thinking = isJsonObject(generationConfig) ? generationConfig.thinkingConfig : undefined;
  if (!isJsonObject(thinking)) return false;
  return thinking.thinkingLevel !== undefined || thinking.thinkingBudget !== undefined;
}

/** Messages whose fields may come in both spellings, and must not come twice; in the others the names may be the caller's. */
const messageFields = [
  'generationConfig',
  'thinkingConfig',
  'toolConfig',
  'functionCallingConfig',
  'responseFormat',
];

function camelCased(message: JsonObject): JsonObject {
  const entries = Object.entries(message).map(([field, value]): [string, unknown] => {
    const name = field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    return [name, messageFields.includes(name) && isJsonObject(value) ? camelCased(value) : value];
  });
  return Object.fromEntries(entries);
}
