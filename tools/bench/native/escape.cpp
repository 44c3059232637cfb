// Loops that end where they like at each point of a picture of n × n, as one writes them: no lanes by hand.
#include <algorithm>
#include <cmath>

#define PICTURE(name) extern "C" __attribute__((visibility("default"))) void name(float *out, int n)

PICTURE(mandelbrot) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float cx = 3.0f * i / n - 2, cy = 3.0f * j / n - 1.5f;
      float x = 0, y = 0;
      int steps = 0;
      while (x * x + y * y < 4 && steps < 200) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        steps++;
      }
      out[i * n + j] = steps;
    }
}

PICTURE(julia) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float x = 4.0f * i / n - 2, y = 2.0f * j / n - 1;
      int steps = 0;
      while (std::sqrt(x * x + y * y) < 20 && steps < 50) {
        const float t = x * x - y * y - 0.8f;
        y = 2 * x * y + 0.2f;
        x = t;
        steps++;
      }
      out[i * n + j] = 1 - steps * 0.02f;
    }
}

static float length(float x, float y, float z) { return std::sqrt(x * x + y * y + z * z); }

PICTURE(march) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float u = float(i) / n - 0.5f, v = float(j) / n - 0.5f;
      const float l = 1 / length(u, v, 1);
      float t = 0;
      for (int k = 0; k < 64; k++) {
        const float x = u * l * t, y = v * l * t, z = l * t - 3;
        const float d = std::min(length(x, y, z) - 1, std::min(length(x - 1, y - 0.5f, z) - 0.5f, y + 1.2f));
        if (d < 1e-3f || t > 20) break;
        t += d;
      }
      out[i * n + j] = t;
    }
}

PICTURE(root) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float y = j + 1;
      float x = 0.1f * i + 1;
      while (std::abs(x * x * x - y) > 1e-4f * y) x -= (x * x * x - y) / (3 * x * x);
      out[i * n + j] = x;
    }
}

PICTURE(gyroid) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float u = float(i) / n - 0.5f, v = float(j) / n - 0.5f;
      const float l = 1 / length(u, v, 1);
      float t = 0;
      for (int k = 0; k < 64; k++) {
        const float x = u * l * t, y = v * l * t + 0.5f, z = l * t - 3;
        const float d =
            std::sin(x) * std::cos(y) + std::sin(y) * std::cos(z) + std::sin(z) * std::cos(x) + 0.9f;
        if (d < 1e-3f || t > 20) break;
        t += 0.5f * d;
      }
      out[i * n + j] = t;
    }
}

PICTURE(kepler) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float eccentricity = 0.9f * i / n, mean = 6.28f * j / n;
      float at = mean, miss = 1;
      for (int k = 0; k < 30 && std::abs(miss) > 1e-5f; k++) {
        miss = at - eccentricity * std::sin(at) - mean;
        at -= miss / (1 - eccentricity * std::cos(at));
      }
      out[i * n + j] = at;
    }
}

// Where a number stands among numbers in order.
PICTURE(search) {
  static float squares[16384];
  for (int k = 0; k < 16384; k++) squares[k] = float(k) * k / 16384;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float x = (i * 7919 + j * 104729) % 16384;
      int low = 0, high = 16384;
      while (low < high) {
        const int middle = (low + high) >> 1;
        if (squares[middle] < x) low = middle + 1;
        else high = middle;
      }
      out[i * n + j] = low;
    }
}

// What is left of light behind cells of fog.
PICTURE(fog) {
  static float density[64][64][64];
  static bool known = false;
  if (!known)
    for (int a = 0; a < 64; a++)
      for (int b = 0; b < 64; b++)
        for (int c = 0; c < 64; c++) density[a][b][c] = float((a * 7 + b * 13 + c * 29) % 17) / 17;
  known = true;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float dx = float(i) / n - 0.5f, dy = float(j) / n - 0.5f;
      float z = 0, light = 1;
      while (z < 64 && light > 0.01f) {
        const float x = 32 + 0.9f * dx * z, y = 32 + 0.9f * dy * z;
        const float d = density[int(x)][int(y)][int(z)];
        light *= 1 - 0.1f * d;
        z += d > 0.5f ? 0.25f : 0.75f;
      }
      out[i * n + j] = light;
    }
}

// One point of 32 takes 500 times as long as its neighbours: the worst that can happen to lanes.
PICTURE(uneven) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const float most = j % 32 == 0 ? 500 : 1;
      float x = 0.5f, k = 0;
      while (k < most) {
        x = x * 0.9f + 0.1f * k;
        k += 1;
      }
      out[i * n + j] = x;
    }
}
