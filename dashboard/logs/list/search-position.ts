const msHexDigits = 12;

/**
 * Returns the time to which the search for entries has come, in milliseconds since 1970. A cursor begins with the id of an
 * entry or of a point in time, a UUIDv7. Null if the cursor has another form.
 */
export function searchPosition(cursor: string): number | null {
  try {
    const bytes = atob(cursor.slice(0, 8).replaceAll('-', '+').replaceAll('_', '/'));
    const hex = [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
    const timeMs = Number.parseInt(hex.slice(0, msHexDigits), 16);
    return hex.length === msHexDigits && Math.abs(timeMs) <= maxDateMs ? timeMs : null;
  } catch {
    return null;
  }
}

/** ECMAScript's last day. */
const maxDateMs = 8.64e15;
