/** Writes the JSON Schema with which editors complete and validate `gateway.config.json`: `npm run config-schema`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { settingsSchema } from '#lib/settings/settings.ts';

/**
 * Generates JSON Schema draft 7, which editors fully support. Rules that span several settings are checked only at
 * synth.
 */
export function settingsJsonSchema() {
  const { properties, ...schema } = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7' });
  const title = 'Settings of the AI gateway';
  return { title, ...schema, properties: { $schema: { type: 'string' }, ...properties } };
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../gateway.config.schema.json');
  writeFileSync(file, JSON.stringify(settingsJsonSchema(), null, 2));
}
