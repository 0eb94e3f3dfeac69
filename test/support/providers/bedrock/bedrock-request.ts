/** A Converse request whose shape has been checked: as much of it as the fake looks at. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export interface ConverseRequest {
  messages?: Turn[];
  system?: Block[];
  inferenceConfig?: { maxTokens?: number; temperature?: number; topP?: number; stopSequences?: string[] };
  toolConfig?: { tools: ToolEntry[]; toolChoice?: ToolChoice };
  outputConfig?: { textFormat?: { structure: { jsonSchema: { schema: string } } }; effort?: string };
  additionalModelRequestFields?: JsonObject;
  additionalModelResponseFieldPaths?: string[];
}

export interface Turn {
  role: 'user' | 'assistant';
  content: Block[];
}

/** One of its fields is there. */
export interface Block {
  text?: string;
  image?: object;
  document?: { name: string };
  toolUse?: { toolUseId: string; name: string; input: unknown };
  toolResult?: { toolUseId: string; content: { json?: unknown; text?: string }[]; status?: string };
  reasoningContent?: { reasoningText?: { text: string; signature?: string }; redactedContent?: string };
  cachePoint?: { type: string; ttl?: string };
}

export interface ToolEntry {
  toolSpec?: { name: string; strict?: boolean; inputSchema: { json: JsonObject } };
  cachePoint?: { type: string; ttl?: string };
}

export interface ToolChoice {
  auto?: object;
  any?: object;
  tool?: { name: string };
}
