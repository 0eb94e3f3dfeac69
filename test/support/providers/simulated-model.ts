/** The model behind every fake provider: it calls a tool once, answers in JSON by a schema, or says a few words. */
import type { Fixture } from './fixture.ts';

/** How a fake provider answers a request that has no script. */
export interface ProviderBehaviour {
  /** Any other key, or none, is refused. Without it every key will do. */
  expectedApiKey?: string;
  /** Models that the provider does not have. */
  unknownModels?: readonly string[];
  /** The answer repeats the last user turn. */
  echo?: boolean;
  /** Once a request has passed the checks, it is answered with this recorded answer. */
  fixture?: Fixture;
}

export type SimulatedCompletion =
  | { kind: 'text'; pieces: readonly string[] }
  | { kind: 'tool'; name: string; input: unknown };

/** As far as the model reads it. */
export interface Prompt {
  /** The tool to call: the chosen one or the first, if a call is allowed and its result is not there yet. */
  tool?: { name: string; schema?: unknown } | undefined;
  /** Of the answer. */
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
      input: usesCity ? { city: 'Oslo' } : exampleOf((tool.schema ?? {}) as JsonSchema),
    };
  }
  if (schema !== undefined) {
    const json = JSON.stringify(exampleOf(schema as JsonSchema));
    return { kind: 'text', pieces: [json.slice(0, 2), json.slice(2)] };
  }
  // One piece per word, as a stream sends it.
  const pieces = echo
    ? `You said: ${lastUserText}`.split(/(?= )/)
    : ['Hello', ' there', ', I', ' am', ' here.'];
  return { kind: 'text', pieces };
}

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** A value that the schema accepts, as far as its types and enums go. */
function exampleOf(schema: JsonSchema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type?.toLowerCase()) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property)]),
      );
    case 'array':
      return [exampleOf(schema.items ?? {})];
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return 'text';
  }
}
