/**
 * The shape of a `GenerateContentRequest`, as far as the gateway writes one and in its spelling, without other fields.
 * https://generativelanguage.googleapis.com/$discovery/rest?version=v1beta (August 2026)
 */
import { z } from 'zod';

const string = z.string();
const bool = z.boolean();
const int = z.int();
const struct = z.record(z.string(), z.unknown());
const bytes = z.string().regex(/^[\w+/-]*={0,2}$/);
/** Capitals do not matter. */
const oneOf = (...values: string[]) => z.string().refine((value) => values.includes(value.toUpperCase()));
const range = (least: number, most: number, name: string) =>
  z
    .number()
    .refine(
      (value) => value >= least && value <= most,
      `${name} must be in the range [${least}.0, ${most}.0].`,
    );

const blob = z.strictObject({ mimeType: string.optional(), data: bytes });
const call = { id: string.optional(), name: string.min(1) };
/** A part consists of one of these. */
const partData = {
  text: string,
  inlineData: blob,
  fileData: z.strictObject({ mimeType: string.optional(), fileUri: string }),
  functionCall: z.strictObject({ ...call, args: struct.optional() }),
  functionResponse: z.strictObject({
    ...call,
    response: struct.optional(),
    parts: z.array(z.strictObject({ inlineData: blob })).optional(),
  }),
};
const notData = { thought: bool, thoughtSignature: bytes, videoMetadata: struct, mediaResolution: struct };
const part = z
  .strictObject({ ...partData, ...notData })
  .partial()
  .refine(
    (value) => Object.keys(value).filter((name) => name in partData).length === 1,
    "required oneof field 'data' must have one initialized field",
  );
const parts = z.array(part).min(1, 'contents.parts must not be empty.');
const content = z.strictObject({ role: z.enum(['user', 'model']).optional(), parts });

const functionDeclaration = z.strictObject({
  name: string.regex(/^[A-Za-z_][\w.:-]{0,63}$/, 'Invalid function name.'),
  description: string.optional(),
  parameters: struct.optional(),
  parametersJsonSchema: struct.optional(),
});
const ownTools = { googleSearch: struct, codeExecution: struct, urlContext: struct, googleMaps: struct };
const tool = z
  .strictObject({ functionDeclarations: z.array(functionDeclaration).min(1), ...ownTools })
  .partial()
  .refine((value) => Object.keys(value).length > 0, 'required one_of must have one initialized field');
const functionCallingConfig = z
  .strictObject({ mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED'), allowedFunctionNames: z.array(string) })
  .partial();

const thinkingConfig = z
  .strictObject({
    includeThoughts: bool,
    thinkingBudget: int,
    thinkingLevel: oneOf('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
  })
  .partial();
const generationConfig = z
  .strictObject({
    candidateCount: int.min(1).max(8),
    stopSequences: z.array(string).max(5, 'the number of stop_sequences must not exceed 5'),
    maxOutputTokens: int.min(1),
    temperature: range(0, 2, 'temperature'),
    topP: range(0, 1, 'top_p'),
    topK: int,
    seed: int,
    presencePenalty: z.number(),
    frequencyPenalty: z.number(),
    responseLogprobs: bool,
    logprobs: int,
    responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']),
    responseSchema: struct,
    responseJsonSchema: struct,
    thinkingConfig,
    mediaResolution: string,
  })
  .partial();

const safetySetting = z.strictObject({
  category: string.regex(/^HARM_CATEGORY_/),
  threshold: oneOf('BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'BLOCK_NONE', 'OFF'),
});

export const generateContentRequest = z
  .strictObject({
    systemInstruction: z.strictObject({ parts }),
    tools: z.array(tool),
    toolConfig: z.strictObject({ functionCallingConfig }).partial(),
    safetySettings: z.array(safetySetting),
    generationConfig,
    cachedContent: string,
  })
  .partial()
  .extend({ contents: z.array(content).min(1, 'contents is not specified') });

export type GenerateContentRequest = z.infer<typeof generateContentRequest>;
export type Content = z.infer<typeof content>;

/** The problems in the API's words: a place such as `generation_config.top_p`, and what is wrong there. */
export function wordsOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message, ...issue }) => {
      const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${snakeCase(String(key))}`));
      const place = `GenerateContentRequest${steps.join('')}`;
      if (issue.code !== 'unrecognized_keys') return `* ${place}: ${message}\n`;
      return `Invalid JSON payload received. Unknown name "${issue.keys}" at '${place}': Cannot find field.`;
    })
    .join('');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
