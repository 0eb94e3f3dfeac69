import { encode } from 'uqr';

/** Light modules around the code, which readers need. */
const quietModules = 3;

/** A QR code as an inline picture: dark on white in every theme, as readers expect. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: quietModules, ecc: 'M' });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className="size-44 rounded-lg border border-line bg-white"
    >
      <path d={modules.join('')} fill="#000" />
    </svg>
  );
}
