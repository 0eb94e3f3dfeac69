/** The model behind every fake provider: calls a tool once, returns JSON matching a schema, or returns a short text. */
import type { Fixture } from './fixture.ts';
import type { ScriptedBehaviour } from './scripted/turns.ts';

/** Behaviour of a fake provider for requests without a scripted response. */
export interface ProviderBehaviour extends ScriptedBehaviour {
  /** Requests with any other key, or none, are rejected. Every key is accepted when unset. */
  expectedApiKey?: string;
  unknownModels?: readonly string[];
  /** Repeats the last user turn in the completion. */
  echo?: boolean;
  /** Recorded response, replayed for every valid request. */
  fixture?: Fixture;
}

export type SimulatedCompletion =
  | { kind: 'text'; chunks: readonly string[] }
  | { kind: 'tool'; name: string; input: unknown };

/** The parts of a request that determine the completion. */
export interface Prompt {
  /** Tool to call: the chosen one or the first. Unset if calls are forbidden or the last turn has the result. */
  tool?: { name: string; schema?: unknown } | undefined;
  /** JSON Schema of the completion, for structured output. */
  schema?: unknown;
  lastUserText: string;
}

/** The input of a tool call is `{"city":"Oslo"}`, unless the tool's schema requires something else. */
export function simulateCompletion(
  { tool, schema, lastUserText }: Prompt,
  { echo }: ProviderBehaviour,
): SimulatedCompletion {
  if (tool !== undefined) {
    const names = Object.keys((tool.schema as JsonSchema | undefined)?.properties ?? {});
    const usesCity = names.every((name) => name === 'city');
    return {
      kind: 'tool',
      name: tool.name,
      input: usesCity ? { city: 'Oslo' } : buildExample((tool.schema ?? {}) as JsonSchema),
    };
  }
  if (schema !== undefined) {
    const json = JSON.stringify(buildExample(schema as JsonSchema));
    return { kind: 'text', chunks: [json.slice(0, 2), json.slice(2)] };
  }
  const chunks = echo
    ? `You said: ${lastUserText}`.split(/(?= )/)
    : ['Hello', ' there', ', I', ' am', ' here.'];
  return { kind: 'text', chunks };
}

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

function buildExample(schema: JsonSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type?.toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, buildExample(property)]),
      );
    case 'array':
      return [buildExample(schema.items ?? {})];
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return 'text';
  }
}
