/**
 * Logs the requests that an endpoint refuses without a log entry. Shares no code with the rest of the chat function, which
 * loads it for the first refused request.
 */

import { minuteMs } from '#lambdas/platform/duration.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
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

/** Limits the log lines about an event that callers cause, so that a flood of requests costs little. */
interface LineLimit {
  /** Returns the number of events without a line since the last line, or `null` if this event gets none. */
  admit(nowMs: number): number | null;
}

const windowMs = minuteMs;

/** So that the last events of a flood, whose number no line tells yet, are few. */
const maxSuppressed = 50;

export function createLineLimit(linesPerMinute: number): LineLimit {
  let windowEndMs = 0;
  let lines = 0;
  let suppressed = 0;
  return {
    admit(nowMs) {
      if (nowMs >= windowEndMs) {
        windowEndMs = nowMs + windowMs;
        lines = 0;
      }
      if (lines >= linesPerMinute && suppressed < maxSuppressed - 1) {
        suppressed += 1;
        return null;
      }
      lines += 1;
      const count = suppressed;
      suppressed = 0;
      return count;
    },
  };
}
