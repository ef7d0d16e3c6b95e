// Pace decides how much of a large scene is drawn while the picture moves. It measures the time of each
// picture. When the picture stands still, everything is drawn.
class Pace {
  constructor(budget) {
    this.budget = budget; // milliseconds for one picture
    this.share = 1; // part of the points to draw while the picture moves
    this.coarse = false; // draw the coarse mesh while the picture moves
    this.full = 0; // time of the last complete picture
    this.times = [];
  }

  // measured takes the time of a picture. moving tells whether the picture was drawn while moving.
  measured(milliseconds, moving) {
    if (!moving) {
      this.full = milliseconds;
      if (milliseconds <= this.budget) [this.share, this.coarse] = [1, false];
      else if (!this.coarse) [this.share, this.coarse] = [Math.max(Pace.least, this.budget / milliseconds), true];
      return;
    }
    this.times.push(milliseconds);
    if (this.times.length > 30) this.times.shift();
    // A step of at most two keeps single slow pictures from changing the picture much.
    const factor = Math.max(0.5, Math.min(1.5, this.budget / milliseconds));
    if (factor < 0.9) this.coarse = true;
    if (factor < 0.9 || this.share < 1 && factor > 1.2) this.share = Math.max(Pace.least, Math.min(1, this.share * factor));
  }

  // rate returns the mean number of pictures per second while moving, or 0 if it is unknown.
  rate() {
    const sum = this.times.reduce((a, b) => a + b, 0);
    return sum > 0 ? 1000 * this.times.length / sum : 0;
  }
}
Pace.least = 1 / 4096;
