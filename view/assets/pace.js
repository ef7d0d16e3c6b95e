// Pace decides how much of a large scene is drawn while the picture moves. It measures the time of each
// picture. When the picture stands still, everything is drawn.
class Pace {
  constructor(budget) {
    this.budget = budget; // milliseconds for one picture
    this.level = 0; // index in Pace.levels
    this.full = 0; // time of the last complete picture
    this.quick = 0; // number of pictures in a row that took less than a third of the budget
    this.times = [];
  }

  // now returns what is drawn while moving: the largest number of points, the coarse mesh that replaces the
  // mesh, and the part of the resolution.
  now() { return Pace.levels[this.level]; }

  // measured takes the time of a picture. moving tells whether the picture was drawn while moving.
  measured(milliseconds, moving) {
    if (!moving) {
      this.full = milliseconds;
      const ratio = milliseconds / this.budget;
      if (ratio <= 1) this.level = 0;
      else if (this.level === 0) this.level = ratio > 16 ? 3 : ratio > 4 ? 2 : 1;
      return;
    }
    this.times.push(milliseconds);
    if (this.times.length > 30) this.times.shift();
    this.quick = milliseconds < this.budget / 3 ? this.quick + 1 : 0;
    if (milliseconds > 1.2 * this.budget) this.level = Math.min(this.level + 1, Pace.levels.length - 1);
    if (this.quick < 8 || this.level === 0) return;
    this.level--;
    this.quick = 0;
  }

  // rest returns the milliseconds without movement after which the complete picture is drawn.
  rest() { return this.full > 1000 ? 700 : 180; }

  // rate returns the mean number of pictures per second while moving, or 0 if it is unknown.
  rate() {
    const sum = this.times.reduce((a, b) => a + b, 0);
    return sum > 0 ? 1000 * this.times.length / sum : 0;
  }
}
// coarse is the number of cubes in half the box for the coarse mesh, or 0 for the mesh itself.
Pace.levels = [
  { points: Infinity, coarse: 0, resolution: 1 },
  { points: 250000, coarse: 64, resolution: 1 },
  { points: 60000, coarse: 48, resolution: 1 },
  { points: 20000, coarse: 32, resolution: 0.5 },
  { points: 5000, coarse: 16, resolution: 0.3 },
];
