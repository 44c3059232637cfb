/** One bar: a label, a value and, if it should read differently from the number, the text at its end. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text?: string;
  /** Drawn in the strong colour. */
  readonly strong?: boolean;
}

export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** A logarithmic axis shows bars that differ by orders of magnitude. Values must then be positive. */
  readonly scale?: 'linear' | 'log';
}

/** Horizontal bars as an SVG document that needs nothing around it. */
export const barChartSvg = (chart: BarChart): string => {
  const values = chart.bars.map((b) => b.value).filter((v) => Number.isFinite(v) && v > 0);
  const largest = Math.max(...values, Number.MIN_VALUE);
  const log = chart.scale === 'log';
  // The log axis starts at the power of ten below the smallest bar, so that every bar has a length.
  const low = log ? Math.floor(Math.log10(Math.min(...values, largest)) - 1e-9) : 0;
  const high = log ? Math.max(Math.log10(largest), low + 1e-9) : largest;
  const share = (v: number): number => (!(v > 0) ? 0 : ((log ? Math.log10(v) : v) - low) / (high - low));

  const labelWidth = 14 + 7.5 * Math.max(...chart.bars.map((b) => b.label.length), 1);
  const [barHeight, gap, top, plot, right] = [20, 8, 44, 420, 120];
  const width = labelWidth + plot + right;
  const height = top + chart.bars.length * (barHeight + gap) + 12;
  const rows = chart.bars.map((bar, i) => {
    const y = top + i * (barHeight + gap);
    const length = Math.max(1, share(bar.value) * plot);
    const text = bar.text ?? `${formatNumber(bar.value)} ${chart.unit}`;
    return [
      `<text x="${labelWidth - 8}" y="${y + 14}" text-anchor="end">${escapeXml(bar.label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${bar.strong ? '#0072b2' : '#9db4c0'}"/>`,
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 14}">${escapeXml(text)}</text>`,
    ].join('\n  ');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `  <rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `  <text x="12" y="24" font-size="15">${escapeXml(chart.title)}${log ? ' (logarithmic)' : ''}</text>`,
    ...rows.map((r) => `  ${r}`),
    '</svg>',
    '',
  ].join('\n');
};

const formatNumber = (v: number): string => (v >= 100 ? v.toFixed(0) : v.toPrecision(3));

const escapeXml = (s: string): string =>
  s.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);
