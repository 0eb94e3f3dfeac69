/** Writes `docs/licences.md`: `npm run licences`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPackages } from '#lib/functions/bundled-packages.ts';
import { licenceList } from './supply-chain/licence-list.ts';

writeFileSync(join(import.meta.dirname, '../docs/licences.md'), licenceList(shippedPackages()));
