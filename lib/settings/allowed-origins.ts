/** The schema of the setting `allowedOrigins`. */

import { z } from 'zod';
import { classifyHost } from './host-kind.ts';
import { maxJsonBytes } from './validation.ts';

/** The setting `providers` may use most of the environment. */
const maxOriginsBytes = 400;

/** The form in which browsers send the header `Origin`: https://fetch.spec.whatwg.org/#origin-header */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text && !text.includes('*');
}

export const allowedOriginsSchema = z
  .array(
    z
      .string('must be a string')
      .refine(isOrigin, {
        error:
          'must be an origin in lower case, without a path or wildcard, such as https://app.example.com or http://localhost:5173',
        abort: true,
      })
      .refine((text) => text.startsWith('https:') || classifyHost(new URL(text).hostname) === 'loopback', {
        error: 'must use https, except for loopback addresses',
      }),
    'must be an array of origins, such as ["https://app.example.com"]',
  )
  .check(maxJsonBytes(maxOriginsBytes));
