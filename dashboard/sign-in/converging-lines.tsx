const center = 100;
const startHeights = [4, 36, 68, center, 132, 164, 196];

/** Decoration behind the product's mark: many requests come in, one way leads out. Drawn once. */
export function ConvergingLines() {
  return (
    <svg
      viewBox="0 0 1100 200"
      aria-hidden="true"
      fill="none"
      className="pointer-events-none absolute top-1/2 left-1/2 w-[68.75rem] max-w-none -translate-1/2"
    >
      <defs>
        <linearGradient id="lines-in" gradientUnits="userSpaceOnUse" x1="60" y1="0" x2="540" y2="0">
          <stop stopOpacity="0" className="[stop-color:var(--color-control)]" />
          <stop offset="0.55" className="[stop-color:var(--color-control)]" />
          <stop offset="1" className="[stop-color:var(--color-accent)]" />
        </linearGradient>
        <linearGradient id="line-out" gradientUnits="userSpaceOnUse" x1="560" y1="0" x2="1000" y2="0">
          <stop className="[stop-color:var(--color-accent)]" />
          <stop offset="1" stopOpacity="0" className="[stop-color:var(--color-accent)]" />
        </linearGradient>
      </defs>
      {startHeights.map((y) => (
        <path
          key={y}
          d={`M0 ${y}H180C360 ${y} 380 ${center} 550 ${center}`}
          stroke="url(#lines-in)"
          strokeWidth="1.25"
          pathLength="1"
          strokeDasharray="1"
          className="animate-draw"
        />
      ))}
      <path
        d={`M550 ${center}H1100`}
        stroke="url(#line-out)"
        strokeWidth="1.75"
        pathLength="1"
        strokeDasharray="1"
        className="animate-draw-late"
      />
    </svg>
  );
}
