/**
 * The fields of a Converse request.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { Shape } from './bedrock-shapes.ts';

const text =
  (limits: Omit<Extract<Shape, { kind: 'text' }>, 'kind'> = {}) =>
  (): Shape => ({
    kind: 'text',
    ...limits,
  });
const oneOf = (...values: string[]) => text({ values });
const number = (least?: number, most?: number) => (): Shape => ({
  kind: 'number',
  ...(least !== undefined && { least }),
  ...(most !== undefined && { most }),
});
const boolean = (): Shape => ({ kind: 'boolean' });
const document = (): Shape => ({ kind: 'document' });
const blob = (): Shape => ({ kind: 'blob' });
const list =
  (of: () => Shape, limits: { longest?: number; shortest?: number } = {}) =>
  (): Shape => ({ kind: 'list', of: of(), ...limits });
const structure =
  (required: Record<string, () => Shape>, optional: Record<string, () => Shape> = {}) =>
  (): Shape => ({
    kind: 'structure',
    fields: { ...required, ...optional },
    required: Object.keys(required),
  });
const union = (fields: Record<string, () => Shape>) => (): Shape => ({ kind: 'union', fields });

const toolName = text({ pattern: /^[a-zA-Z0-9_-]+$/, shortest: 1, longest: 64 });
const toolUseId = text({ pattern: /^[a-zA-Z0-9_.:-]+$/, shortest: 1, longest: 64 });
const s3Location = structure({ uri: text({ pattern: /^s3:\/\// }) }, { bucketOwner: text() });
const cachePoint = structure({ type: oneOf('default') }, { ttl: oneOf('5m', '1h') });
const media = (...formats: string[]) =>
  structure({ format: oneOf(...formats), source: union({ bytes: blob, s3Location }) });
const image = media('png', 'jpeg', 'gif', 'webp');
const video = media('mkv', 'mov', 'mp4', 'webm', 'flv', 'mpeg', 'mpg', 'wmv', 'three_gp');
const audio = media(
  ...['mp3', 'opus', 'wav', 'aac', 'flac', 'mp4', 'ogg', 'mkv', 'mka', 'x-aac', 'm4a', 'mpeg', 'mpga', 'pcm'],
  'webm',
);
const documentBlock = structure(
  {
    name: text({ shortest: 1, longest: 200 }),
    source: union({
      bytes: blob,
      s3Location,
      text: text({ shortest: 1 }),
      content: list(union({ text: text() })),
    }),
  },
  {
    format: oneOf('pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'),
    context: text(),
    citations: structure({ enabled: boolean }),
  },
);
const toolResult = structure(
  {
    toolUseId,
    content: list(union({ text: text(), json: document, image, document: documentBlock, video })),
  },
  { status: oneOf('success', 'error'), type: text() },
);
const reasoningContent = union({
  reasoningText: structure({ text: text() }, { signature: text() }),
  redactedContent: blob,
});
const contentBlock = union({
  text: text(),
  image,
  document: documentBlock,
  video,
  audio,
  toolUse: structure({ toolUseId, name: toolName, input: document }, { type: text() }),
  toolResult,
  guardContent: document,
  cachePoint,
  reasoningContent,
  citationsContent: document,
  searchResult: document,
});
const toolSpec = structure(
  { name: toolName, inputSchema: union({ json: document }) },
  { description: text({ shortest: 1 }), strict: boolean },
);
const inferenceConfig = structure(
  {},
  {
    maxTokens: number(1),
    temperature: number(0, 1),
    topP: number(0, 1),
    stopSequences: list(text({ shortest: 1 }), { longest: 2500 }),
  },
);
const textFormat = structure({
  type: oneOf('json_schema'),
  structure: union({ jsonSchema: structure({ schema: text() }, { name: text(), description: text() }) }),
});
const guardrailConfig = structure(
  {},
  {
    guardrailIdentifier: text(),
    guardrailVersion: text(),
    trace: oneOf('enabled', 'disabled', 'enabled_full'),
    streamProcessingMode: oneOf('sync', 'async'),
  },
);

export const converseRequest: Shape = structure(
  {},
  {
    messages: list(structure({ role: oneOf('user', 'assistant'), content: list(contentBlock) })),
    system: list(union({ text: text({ shortest: 1 }), guardContent: document, cachePoint })),
    inferenceConfig,
    toolConfig: structure(
      {
        tools: list(union({ toolSpec, systemTool: structure({ name: text() }), cachePoint }), {
          shortest: 1,
        }),
      },
      {
        toolChoice: union({
          auto: structure({}),
          any: structure({}),
          tool: structure({ name: toolName }),
        }),
      },
    ),
    guardrailConfig,
    additionalModelRequestFields: document,
    promptVariables: (): Shape => ({ kind: 'map', of: document() }),
    additionalModelResponseFieldPaths: list(text({ shortest: 1, longest: 256 }), { longest: 10 }),
    requestMetadata: (): Shape => ({ kind: 'map', of: text({ longest: 256 })() }),
    performanceConfig: structure({}, { latency: oneOf('standard', 'optimized') }),
    serviceTier: structure({ type: oneOf('priority', 'default', 'flex', 'reserved') }),
    outputConfig: structure({}, { textFormat, effort: text() }),
  },
)();
