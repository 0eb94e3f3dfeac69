/**
 * Logs the requests that an endpoint refuses without a log entry. The chat function loads it for the first of them, so it
 * shares no code with what a cold start needs.
 */

import type { GatewayError } from '#lambdas/platform/errors.ts';
import { createLineLimit } from '#lambdas/platform/telemetry/line-limit.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import type { RejectedKeyError } from './authenticate.ts';

interface Rejection {
  error: GatewayError;
  /** The route, never the path, which may contain anything; `null` for an unknown one. */
  endpoint: string | null;
  sourceIp: string | undefined;
  /** `null` if the key was rejected. */
  organizationId: string | null;
}

/** Ignores errors that the gateway or a provider caused. */
type LogRejection = (rejection: Rejection) => void;

const linesPerMinute = 10;

export function createRejectionLog({ log, now }: { log: Log; now(): Date }): LogRejection {
  const keyLines = createLineLimit(linesPerMinute);
  const requestLines = createLineLimit(linesPerMinute);
  return ({ error, endpoint, sourceIp, organizationId }) => {
    const nowMs = now().getTime();
    if (isRejectedKey(error)) {
      const suppressed = keyLines.admit(nowMs);
      if (suppressed === null) return;
      const fields = { reason: error.reason, source_ip: truncateAddress(sourceIp), endpoint, suppressed };
      log.info('key_rejected', fields, { RejectedKeys: 1 + suppressed });
    } else if (error.status < 500) {
      const suppressed = requestLines.admit(nowMs);
      if (suppressed === null) return;
      const { status, code } = error;
      log.info('request_rejected', {
        endpoint,
        status,
        error_code: code,
        organization_id: organizationId,
        suppressed,
      });
    }
  };
}

/** Without `instanceof`, which would import the class. */
function isRejectedKey(error: GatewayError): error is RejectedKeyError {
  return 'reason' in error;
}

/** Returns the network of an address, which identifies an attacker's range but no person: a /24 or, for IPv6, a /48. */
export function truncateAddress(address: string | undefined): string | null {
  if (address === undefined) return null;
  if (!address.includes(':'))
    return /^\d+\.\d+\.\d+\.\d+$/.test(address) ? `${address.slice(0, address.lastIndexOf('.'))}.0/24` : null;
  const [head = ''] = address.split('::');
  const groups = [...head.split(':').filter((group) => group !== ''), '0', '0', '0'].slice(0, 3);
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? `${groups.join(':')}::/48` : null;
}
