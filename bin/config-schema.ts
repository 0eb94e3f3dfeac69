/** Writes the JSON Schema with which editors explain, complete and check settings in JSON: `npm run config-schema`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { settingsSchema } from '#lib/settings.ts';

/** Draft 7 is the version that editors support in full. Rules across several settings are checked at synth alone. */
export function settingsJsonSchema() {
  const { properties, ...schema } = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7' });
  const title = 'Settings of the AI gateway';
  return { title, ...schema, properties: { $schema: { type: 'string' }, ...properties } };
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../gateway.config.schema.json');
  writeFileSync(file, JSON.stringify(settingsJsonSchema(), null, 2));
}
