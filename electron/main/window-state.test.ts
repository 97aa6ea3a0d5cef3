import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeWindow, rememberPlace, smallestWindow } from './window-state.ts';

const laptop = { x: 0, y: 25, width: 1440, height: 875 };
const beside = { x: 1440, y: 0, width: 2560, height: 1400 };
const saved = (part: object) => ({ x: 100, y: 100, width: 1000, height: 700, isMaximized: false, ...part });

describe('where the window opens', () => {
  test('is where it was', () => {
    expect(placeWindow(saved({ x: 1600, isMaximized: true }), [laptop, beside])).toEqual({
      x: 1600,
      y: 100,
      width: 1000,
      height: 700,
      isMaximized: true,
    });
  });

  test('is the middle of the first screen when its screen is gone', () => {
    expect(placeWindow(saved({ x: 2000, width: 2400, height: 1300 }), [laptop])).toEqual({
      width: 1440,
      height: 875,
      isMaximized: false,
    });
  });

  test('is the middle when the title bar would be out of reach', () => {
    for (const place of [{ y: -200 }, { y: 880 }, { x: -990 }, { x: 1430 }]) {
      expect(placeWindow(saved(place), [laptop])).not.toHaveProperty('x');
    }
  });

  test.each([undefined, null, 'x', {}, saved({ width: -1 }), saved({ x: Number.NaN }), saved({ height: 1e9 })])(
    'is the usual one for %j',
    (value) => {
      expect(placeWindow(value, [laptop, beside])).toEqual({ width: 1280, height: 860, isMaximized: false });
    },
  );

  test('always leaves a bit of the title bar on a screen, whatever was saved', () => {
    const place = fc.record({
      x: fc.integer({ min: -9000, max: 9000 }),
      y: fc.integer({ min: -9000, max: 9000 }),
      width: fc.integer({ min: 1, max: 9000 }),
      height: fc.integer({ min: 1, max: 9000 }),
      isMaximized: fc.boolean(),
    });
    fc.assert(
      fc.property(place, (value) => {
        const { x, y, width, height } = placeWindow(value, [laptop, beside]);
        expect(width).toBeGreaterThanOrEqual(smallestWindow.width);
        expect(height).toBeGreaterThanOrEqual(smallestWindow.height);
        if (x === undefined || y === undefined) return;
        expect(
          [laptop, beside].some(
            (area) => y >= area.y && y < area.y + area.height && x < area.x + area.width && x + width > area.x,
          ),
        ).toBe(true);
      }),
    );
  });
});

test('closing remembers the size before it was maximized', () => {
  const kept = new Map<string, unknown>();
  const window = Object.assign(new EventEmitter(), {
    getNormalBounds: () => ({ x: 1, y: 30, width: 800, height: 600 }),
    isMaximized: () => true,
  });
  rememberPlace(window as never, { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, value) });
  window.emit('close');
  expect(kept.get('window')).toEqual({ x: 1, y: 30, width: 800, height: 600, isMaximized: true });
  expect(placeWindow(kept.get('window'), [laptop])).toEqual({
    x: 1,
    y: 30,
    width: 800,
    height: 600,
    isMaximized: true,
  });
});
