/** What a fake provider does without a script, whatever its protocol. */
import type { Fixture } from './fixture.ts';

export interface ProviderBehaviour {
  /** Any other key, or none, is refused as the provider refuses it. Without it every key will do. */
  expectedApiKey?: string;
  /** Models that the provider says it does not have. */
  unknownModels?: readonly string[];
  /** The answer repeats the last user turn. */
  echo?: boolean;
  /** Once a request has passed the checks, it is answered with this. */
  fixture?: Fixture;
}

const examplePieces = ['Hello', ' there', ', I', ' am', ' here.'] as const;

/** The text of an answer in the pieces in which a stream sends it: one a word. */
export function answerPieces({ echo = false }: ProviderBehaviour, lastUserText: string): readonly string[] {
  if (!echo) return examplePieces;
  return `You said: ${lastUserText}`.split(/(?= )/);
}

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** A value that the schema accepts, as far as its types and enums go. */
export function exampleOf(schema: JsonSchema): unknown {
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
