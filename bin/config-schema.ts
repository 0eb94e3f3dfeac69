/** Writes `gateway.config.schema.json`: `npm run config-schema`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsJsonSchema } from '#lib/settings/json-schema.ts';

const file = join(import.meta.dirname, '../gateway.config.schema.json');
writeFileSync(file, JSON.stringify(settingsJsonSchema(), null, 2));
