const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for UUIDs of any version. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
