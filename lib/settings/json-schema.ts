/** The JSON Schema of a configuration in JSON, with which an editor explains, completes and checks it. */

import { z } from 'zod';
import { settingsSchema } from '../settings.ts';

/** Draft 7 is the version that editors support in full. Rules across several settings are checked at synth alone. */
export function settingsJsonSchema() {
  const { properties, ...schema } = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7' });
  const title = 'Settings of the AI gateway';
  return { title, ...schema, properties: { $schema: { type: 'string' }, ...properties } };
}
