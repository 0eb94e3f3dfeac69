/**
 * The shape of a `GenerateContentRequest`, which has no other fields, in the spelling that the gateway uses.
 * https://generativelanguage.googleapis.com/$discovery/rest?version=v1beta (August 2026)
 */
import { z } from 'zod';

const string = z.string().optional();
const bool = z.boolean().optional();
const int = z.int().optional();
const float = z.number().optional();
const anything = z.unknown().optional();
const struct = z.record(z.string(), z.unknown()).optional();
const oneOf = (...values: string[]) =>
  z
    .string()
    .refine((value) => values.includes(value.toUpperCase()))
    .optional();
const bytes = z.string().regex(/^[\w+/-]*={0,2}$/);

const blob = z.strictObject({ mimeType: string, data: bytes });
/** One of these fields is what a part consists of. */
const partData = {
  text: string,
  inlineData: blob.optional(),
  fileData: z.strictObject({ mimeType: string, fileUri: z.string() }).optional(),
  functionCall: z.strictObject({ id: string, name: z.string().min(1), args: struct }).optional(),
  functionResponse: z
    .strictObject({
      id: string,
      name: z.string().min(1),
      response: struct,
      parts: z.array(z.strictObject({ inlineData: blob })).optional(),
      willContinue: bool,
      scheduling: oneOf('SILENT', 'WHEN_IDLE', 'INTERRUPT'),
    })
    .optional(),
  executableCode: struct,
  codeExecutionResult: struct,
  toolCall: struct,
  toolResponse: struct,
};
const part = z
  .strictObject({
    ...partData,
    thought: bool,
    thoughtSignature: bytes.optional(),
    partMetadata: struct,
    videoMetadata: struct,
    mediaResolution: struct,
  })
  .refine(
    (value) => Object.keys(value).filter((name) => name in partData).length === 1,
    "required oneof field 'data' must have one initialized field",
  );
const parts = z.array(part).min(1, 'contents.parts must not be empty.');
const content = z.strictObject({ role: z.enum(['user', 'model']).optional(), parts });

const tool = z
  .strictObject({
    functionDeclarations: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[A-Za-z_][\w.:-]{0,63}$/, 'Invalid function name.'),
          description: string,
          behavior: oneOf('BLOCKING', 'NON_BLOCKING'),
          parameters: struct,
          parametersJsonSchema: anything,
          response: struct,
          responseJsonSchema: anything,
        }),
      )
      .min(1)
      .optional(),
    googleSearch: struct,
    googleSearchRetrieval: struct,
    codeExecution: struct,
    urlContext: struct,
    googleMaps: struct,
    computerUse: struct,
    fileSearch: struct,
    mcpServers: z.array(z.unknown()).optional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'required one_of must have one initialized field');

export const generateContentRequest = z.strictObject({
  model: string,
  systemInstruction: z.strictObject({ role: string, parts }).optional(),
  contents: z.array(content).min(1, 'contents is not specified'),
  tools: z.array(tool).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z
        .strictObject({
          mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED'),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
      retrievalConfig: struct,
      includeServerSideToolInvocations: bool,
    })
    .optional(),
  safetySettings: z
    .array(
      z.strictObject({
        category: z.string().regex(/^HARM_CATEGORY_/),
        threshold: oneOf(
          'BLOCK_LOW_AND_ABOVE',
          'BLOCK_MEDIUM_AND_ABOVE',
          'BLOCK_ONLY_HIGH',
          'BLOCK_NONE',
          'OFF',
        ),
      }),
    )
    .optional(),
  generationConfig: z
    .strictObject({
      candidateCount: z.int().min(1).max(8).optional(),
      stopSequences: z.array(z.string()).max(5, 'the number of stop_sequences must not exceed 5').optional(),
      maxOutputTokens: z.int().min(1).optional(),
      temperature: z
        .number()
        .refine((value) => value >= 0 && value <= 2, 'temperature must be in the range [0.0, 2.0].')
        .optional(),
      topP: z.number().min(0).max(1).optional(),
      topK: int,
      seed: int,
      presencePenalty: float,
      frequencyPenalty: float,
      responseLogprobs: bool,
      logprobs: int,
      responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
      responseSchema: struct,
      responseJsonSchema: struct,
      responseFormat: struct,
      responseModalities: z.array(z.string()).optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: bool,
          thinkingBudget: int,
          thinkingLevel: oneOf('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
        })
        .optional(),
      mediaResolution: string,
      speechConfig: struct,
      imageConfig: struct,
    })
    .optional(),
  cachedContent: string,
  serviceTier: oneOf('UNSPECIFIED', 'STANDARD', 'FLEX', 'PRIORITY'),
  store: bool,
});

export type GenerateContentRequest = z.infer<typeof generateContentRequest>;
export type Content = z.infer<typeof content>;

/** The problems in the API's words: a place such as `generation_config.top_p`, and what is wrong there. */
export function wordsOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message, ...issue }) => {
      const place = path.reduce<string>(
        (before, key) =>
          typeof key === 'number' ? `${before}[${key}]` : `${before}.${snakeCase(String(key))}`,
        'GenerateContentRequest',
      );
      if (issue.code !== 'unrecognized_keys') return `* ${place}: ${message}\n`;
      return `Invalid JSON payload received. Unknown name "${issue.keys}" at '${place}': Cannot find field.`;
    })
    .join('');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
