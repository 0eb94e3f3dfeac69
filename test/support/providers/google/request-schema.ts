/**
 * Schema of the `GenerateContentRequest` fields that the gateway sends; rejects all others.
 * https://generativelanguage.googleapis.com/$discovery/rest?version=v1beta (August 2026)
 */
import { z } from 'zod';

const string = z.string();
const bool = z.boolean();
const int = z.int();
const struct = z.record(z.string(), z.unknown());
const bytes = z.string().regex(/^[\w+/-]*={0,2}$/);
const caseInsensitiveEnum = (...values: string[]) =>
  z.string().refine((value) => values.includes(value.toUpperCase()));
const range = (min: number, max: number, name: string) =>
  z
    .number()
    .refine((value) => value >= min && value <= max, `${name} must be in the range [${min}.0, ${max}.0].`);

const blob = z.strictObject({ mimeType: string.optional(), data: bytes });
const call = { id: string.optional(), name: string.min(1) };
/** A part has exactly one of these fields. */
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
const partOptions = {
  thought: bool,
  thoughtSignature: bytes,
  videoMetadata: struct,
  mediaResolution: struct,
};
const part = z
  .strictObject({ ...partData, ...partOptions })
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
const serverTools = { googleSearch: struct, codeExecution: struct, urlContext: struct, googleMaps: struct };
const tool = z
  .strictObject({ functionDeclarations: z.array(functionDeclaration).min(1), ...serverTools })
  .partial()
  .refine((value) => Object.keys(value).length > 0, 'required one_of must have one initialized field');
const functionCallingConfig = z
  .strictObject({
    mode: caseInsensitiveEnum('AUTO', 'ANY', 'NONE', 'VALIDATED'),
    allowedFunctionNames: z.array(string),
  })
  .partial();

const thinkingConfig = z
  .strictObject({
    includeThoughts: bool,
    thinkingBudget: int,
    thinkingLevel: caseInsensitiveEnum('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
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
  threshold: caseInsensitiveEnum(
    'BLOCK_LOW_AND_ABOVE',
    'BLOCK_MEDIUM_AND_ABOVE',
    'BLOCK_ONLY_HIGH',
    'BLOCK_NONE',
    'OFF',
  ),
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

/** Formats validation errors as the API does: a path such as `generation_config.top_p`, then the message. */
export function formatIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message, ...issue }) => {
      const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${snakeCase(String(key))}`));
      const location = `GenerateContentRequest${steps.join('')}`;
      if (issue.code !== 'unrecognized_keys') return `* ${location}: ${message}\n`;
      return `Invalid JSON payload received. Unknown name "${issue.keys}" at '${location}': Cannot find field.`;
    })
    .join('');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
